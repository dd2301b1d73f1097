// Barriers that not all threads reach, comparisons of unsigned numbers, divisions by zero.
extern "C" __global__ void kernel(int* x, int n) {
    __shared__ int part[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        part[threadIdx.x] = x[i];
        __syncthreads();
    }
    for (int k = threadIdx.x; k < n; k += blockDim.x) {
        x[k] = part[k % 32];
        __syncthreads();
    }
    if (threadIdx.x > -1) x[0] = n / 0;
    if (threadIdx.x - 1 < 0) x[1] = part[32];
    for (unsigned k = n; k >= 0; k--) x[k] = 0;
}

extern "C" __global__ void right(int* x, int n) {
    __shared__ int part[32];
    part[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int step = 16; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (blockIdx.x == 0 && n > 0) __syncthreads();
    int* end = &part[32];
    for (int* at = part; at != end; at++) x[at - part] = *at;
    if (__syncthreads_or(threadIdx.x == n)) __syncthreads();
    if (threadIdx.x >= n || threadIdx.x < blockDim.x) x[n] = 0;
}
