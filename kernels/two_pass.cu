// The sum of many elements in two passes: first a grid whose size does not depend on their number, then one block.
//
//   pass_strided  Thread t of the grid adds elements t, t + threads, t + 2 * threads ..., so that neighbouring lanes
//                 read neighbouring elements. Each block stores a sum.
//   pass_doubled  WRONG. The same with a last loop that begins at 32 instead of 16. A tile of 32 has no lane that far
//                 away, so each lane adds its own value to itself, and the block's sum comes out doubled.
//   pass_chunked  Each thread adds elements that are side by side, so that the lanes of a warp read far apart.
//   sum_in_order  One thread adds all elements, one after another.
//
// Launch: one-dimensional, blocks of a power of two from 32 to 1024; first any grid on x, then one block on the sums
// that the first pass has stored. sum_in_order one thread.
// Preconditions: x holds n elements, sums one for each block.
//
// builds: sm_70

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// ANCHOR: block_sum
// The sum of the block's values, which its first thread gets. The loop over the last warp begins at first.
__device__ float block_sum(float sum, int first) {
    __shared__ float part[1024];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int offset = blockDim.x / 2; offset >= 32; offset /= 2) {
        if (threadIdx.x < offset) part[threadIdx.x] += part[threadIdx.x + offset];
        __syncthreads();
    }
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
    sum = part[threadIdx.x];
    for (int offset = first; offset > 0; offset /= 2) {
        sum += tile.shfl_down(sum, offset);
    }
    return sum;
}
// ANCHOR_END: block_sum

// ANCHOR: strided
__device__ float strided(const float* x, int n) {
    float sum = 0.0f;
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i];
    }
    return sum;
}
// ANCHOR_END: strided

// ANCHOR: pass_strided
extern "C" __global__ void pass_strided(const float* x, float* sums, int n) {
    float sum = block_sum(strided(x, n), 16);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// ANCHOR_END: pass_strided

// ANCHOR: pass_doubled
extern "C" __global__ void pass_doubled(const float* x, float* sums, int n) {
    float sum = block_sum(strided(x, n), 32);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// ANCHOR_END: pass_doubled

// ANCHOR: pass_chunked
extern "C" __global__ void pass_chunked(const float* x, float* sums, int n) {
    long long thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    long long each = (n + threads - 1) / threads;
    long long end = min((thread + 1) * each, (long long)n);
    float sum = 0.0f;
    for (long long i = thread * each; i < end; i++) {
        sum += x[i];
    }
    sum = block_sum(sum, 16);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// ANCHOR_END: pass_chunked

// ANCHOR: sum_in_order
extern "C" __global__ void sum_in_order(const float* x, float* sums, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += x[i];
    }
    sums[0] = sum;
}
// ANCHOR_END: sum_in_order
