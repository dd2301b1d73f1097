// How many of n numbers are greater than a limit? Every thread looks at some
// of them, and all count in one word of global memory.
//
// hits is zero before. Blocks have 128 threads.
extern "C" __global__ void count_by_block(const int* x, int* hits, int limit,
                                          int n) {
    int threads = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += threads) {
        if (x[i] > limit) atomicAdd(hits, 1);
    }
}
