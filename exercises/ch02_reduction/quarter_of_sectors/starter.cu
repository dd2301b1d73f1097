// The sum of each block's part of a list. Each thread adds four numbers by
// itself before the rounds begin.
//
// x:    n numbers. A block's part has 256 of them, the last part may have fewer.
// sums: one place for each block.
// Launch: blocks of 64 threads, one block for each part.

extern "C" __global__ void sums_by_four(const int* x, int* sums, int n) {
    __shared__ int part[64];
    int t = threadIdx.x;
    int first = blockIdx.x * 256;

    // TODO: read the same 256 numbers, with a quarter of the sectors.
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        int i = first + 4 * t + k;
        if (i < n) sum += x[i];
    }

    part[t] = sum;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
