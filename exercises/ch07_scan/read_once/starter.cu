// The scan of each tile: y[i] becomes the sum of the elements of its tile up to
// x[i], itself included.
//
// A tile is four neighbouring elements for each thread of a block, and the last
// tile may have fewer. There are n elements. Blocks have 64 threads.

#define FULL 0xffffffff

// The sum of the values of all threads of the block before this one.
__device__ int sum_before(int own) {
    __shared__ int of_first_warp;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = own;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(FULL, sum, d);
        if (lane >= d) sum += left;
    }
    if (threadIdx.x == 31) of_first_warp = sum;
    __syncthreads();
    return warp == 0 ? sum - own : of_first_warp + sum - own;
}

extern "C" __global__ void read_once(const int* x, int* y, int n) {
    int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);

    int sum = 0;
    for (int k = 0; k < 4; k++) {
        if (first + k < n) sum += x[first + k];
    }
    sum = sum_before(sum);
    for (int k = 0; k < 4; k++) {
        if (first + k < n) {
            sum += x[first + k];
            y[first + k] = sum;
        }
    }
}
