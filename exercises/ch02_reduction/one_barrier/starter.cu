// The sum of each block's numbers.
//
// x:    256 numbers for each block.
// sums: one place for each block.
// Launch: blocks of 256 threads, which form eight warps.

extern "C" __global__ void sums_of_blocks(const int* x, int* sums) {
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = x[blockIdx.x * 256 + t];

    // TODO: get by with a single __syncthreads().
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
