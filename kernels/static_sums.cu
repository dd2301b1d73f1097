// The two passes of a sum with an array of the module between them, which exists as soon as the kernel does.
//
//   static_first   Each block leaves the sum of its elements in block_sums, which the host does not know about.
//   static_second  One block adds up those sums.
//
// Launch: one-dimensional, blocks of whole warps; static_first a grid of at most 10240 blocks, then static_second one
// block.
// Preconditions: x holds n elements, total one; static_second gets the number of blocks that static_first had.
//
// These kernels are not in two_pass.cu because kernels that change variables of their module are not timed: buffers
// are restored between timed runs, and variables are not.
//
// builds: sm_70

#define FULL 0xffffffff

// ANCHOR: block_sums
__device__ float block_sums[10240];
// ANCHOR_END: block_sums

__device__ float sum_of_block(const float* x, int n) {
    __shared__ float sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = 0.0f;
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i];
    }
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(FULL, sum, offset);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    sum = lane < blockDim.x / 32 ? sums[lane] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(FULL, sum, offset);
    return sum;
}

// ANCHOR: static_first
extern "C" __global__ void static_first(const float* x, int n) {
    float sum = sum_of_block(x, n);
    if (threadIdx.x == 0) block_sums[blockIdx.x] = sum;
}
// ANCHOR_END: static_first

// ANCHOR: static_second
extern "C" __global__ void static_second(float* total, int blocks) {
    float sum = sum_of_block(block_sums, blocks);
    if (threadIdx.x == 0) *total = sum;
}
// ANCHOR_END: static_second
