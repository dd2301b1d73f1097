// The lowest price in each block's part of a list.
//
// prices: n prices, all of them 1 or more. A block's part has 128 of them, and the
//         last block's part may have fewer, but at least one.
// lowest: one place for each block.
// Launch: blocks of 128 threads, one block for each part.

extern "C" __global__ void lowest_prices(const int* prices, int* lowest, int n) {
    __shared__ int part[128];
    int i = threadIdx.x;
    int first = blockIdx.x * blockDim.x;

//= solution
    // No price is higher than the largest int.
    part[i] = first + i < n ? prices[first + i] : 0x7fffffff;
//= starter
//    // TODO: the last block can have threads without a price.
//    part[i] = prices[first + i];
//= wrong place_in_block
//    part[i] = i < n ? prices[first + i] : 0x7fffffff;
//= wrong up_to_n
//    part[i] = first + i <= n ? prices[first + i] : 0x7fffffff;
//= wrong left_empty
//    if (first + i < n) part[i] = prices[first + i];
//= wrong large_enough
//    part[i] = first + i < n ? prices[first + i] : 1000000;
//= wrong zero_instead
//    part[i] = first + i < n ? prices[first + i] : 0;
//= end
    __syncthreads();

    for (int half = 64; half > 0; half /= 2) {
        if (i < half) part[i] = min(part[i], part[i + half]);
        __syncthreads();
    }
    if (i == 0) lowest[blockIdx.x] = part[0];
}
