// Sums of a block, in single precision: what shuffles save, and what atomics cost.
//
//   lanes_down        Five steps of shuffle down, and every lane stores what it has: only lane 0 of a warp has the sum.
//   lanes_xor         The same by xor: all lanes have it, after the same five steps.
//   sum_shared        A tree in shared memory down to 32 values; the last five rounds stay there, each with a barrier
//                     of the warp.
//   sum_shuffle       The last five rounds by shuffle down, in registers.
//   sum_butterfly     By shuffle xor.
//   sum_tile          By a tile of cooperative groups, which needs neither a mask nor a width.
//   sum_warps_first   Every warp adds up its own values by shuffles, and then the first warp adds the sums of the
//                     warps: one barrier of the block, whatever its size.
//   sum_atomic_lane   No tree: every thread adds its own value to the total.
//   sum_atomic_warp   Shuffles, and then one lane of each warp adds to the total.
//
// Launch: one-dimensional, a grid that covers n. Blocks are a power of two from 32 to 1024 (sum_shared to sum_tile), or
// whole warps (the others).
// Preconditions: x holds n elements, y one for each thread, total is one zero.
//
// Each kernel from sum_shared to sum_warps_first ends with one atomic for each block.
//
// builds: sm_70

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define FULL 0xffffffff

// ANCHOR: lanes_down
extern "C" __global__ void lanes_down(const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = x[i];
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(FULL, sum, offset);
    }
    y[i] = sum;
}
// ANCHOR_END: lanes_down

// ANCHOR: lanes_xor
extern "C" __global__ void lanes_xor(const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = x[i];
    for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) {
        sum += __shfl_xor_sync(FULL, sum, lane_mask);
    }
    y[i] = sum;
}
// ANCHOR_END: lanes_xor

__device__ float own_value(const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    return i < n ? x[i] : 0.0f;
}

// ANCHOR: fold_to_warp
// Adds up the block's values in rounds, until 32 sums are left in the first 32 elements of part.
__device__ void fold_to_warp(float* part, float value) {
    part[threadIdx.x] = value;
    __syncthreads();
    for (int offset = blockDim.x / 2; offset >= 32; offset /= 2) {
        if (threadIdx.x < offset) part[threadIdx.x] += part[threadIdx.x + offset];
        __syncthreads();
    }
}
// ANCHOR_END: fold_to_warp

// ANCHOR: sum_shared
extern "C" __global__ void sum_shared(const float* x, float* total, int n) {
    __shared__ float part[1024];
    fold_to_warp(part, own_value(x, n));
    for (int offset = 16; offset > 0; offset /= 2) {
        if (threadIdx.x < offset) part[threadIdx.x] += part[threadIdx.x + offset];
        __syncwarp();
    }
    if (threadIdx.x == 0) atomicAdd(total, part[0]);
}
// ANCHOR_END: sum_shared

// ANCHOR: sum_shuffle
extern "C" __global__ void sum_shuffle(const float* x, float* total, int n) {
    __shared__ float part[1024];
    fold_to_warp(part, own_value(x, n));
    float sum = part[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(FULL, sum, offset);
    }
    if (threadIdx.x == 0) atomicAdd(total, sum);
}
// ANCHOR_END: sum_shuffle

// ANCHOR: sum_butterfly
extern "C" __global__ void sum_butterfly(const float* x, float* total, int n) {
    __shared__ float part[1024];
    fold_to_warp(part, own_value(x, n));
    float sum = part[threadIdx.x];
    for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) {
        sum += __shfl_xor_sync(FULL, sum, lane_mask);
    }
    if (threadIdx.x == 0) atomicAdd(total, sum);
}
// ANCHOR_END: sum_butterfly

// ANCHOR: sum_tile
extern "C" __global__ void sum_tile(const float* x, float* total, int n) {
    __shared__ float part[1024];
    fold_to_warp(part, own_value(x, n));
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
    float sum = part[threadIdx.x];
    for (int offset = tile.size() / 2; offset > 0; offset /= 2) {
        sum += tile.shfl_down(sum, offset);
    }
    if (threadIdx.x == 0) atomicAdd(total, sum);
}
// ANCHOR_END: sum_tile

__device__ float warp_sum(float sum) {
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(FULL, sum, offset);
    }
    return sum;
}

// ANCHOR: sum_warps_first
extern "C" __global__ void sum_warps_first(const float* x, float* total, int n) {
    __shared__ float sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = warp_sum(own_value(x, n));
    if (lane == 0) sums[warp] = sum;
    __syncthreads();

    if (warp > 0) return;
    sum = warp_sum(lane < blockDim.x / 32 ? sums[lane] : 0.0f);
    if (lane == 0) atomicAdd(total, sum);
}
// ANCHOR_END: sum_warps_first

// ANCHOR: sum_atomic_lane
extern "C" __global__ void sum_atomic_lane(const float* x, float* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total, x[i]);
}
// ANCHOR_END: sum_atomic_lane

// ANCHOR: sum_atomic_warp
extern "C" __global__ void sum_atomic_warp(const float* x, float* total, int n) {
    float sum = warp_sum(own_value(x, n));
    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}
// ANCHOR_END: sum_atomic_warp
