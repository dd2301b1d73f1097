// y = A x. A has n rows of n ints, and x and y have n ints. A block of 64 threads
// computes 64 elements of y, and brings x into shared memory, 64 ints at a time.

extern "C" __global__ void crate_for_all(const int* a, const int* x, int* y,
                                         int n) {
    __shared__ int tile[64];
    int row = blockIdx.x * 64 + threadIdx.x, sum = 0;

    for (int first = 0; first < n; first += 64) {
        int left = min(64, n - first);
        if (threadIdx.x < left) tile[threadIdx.x] = x[first + threadIdx.x];
        __syncthreads();
        if (row < n) {
            for (int k = 0; k < left; k++) sum += a[row * n + first + k] * tile[k];
        }
    }
    if (row < n) y[row] = sum;
}
