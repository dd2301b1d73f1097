// Scans, also called prefix sums: element i of the result is the sum of the elements 0 to i.
//
// In a warp, with x and y of one element a thread:
//   scan_warp                   Five rounds of `__shfl_up_sync`: each lane adds the sum that ends 1, 2, 4, 8, 16 lanes below.
//   scan_warp_no_test           The same without the test `lane >= d`, as if a shuffle brought 0 from below lane 0.
//   scan_warp_shuffle_inside    The test around the shuffle too: the lanes below d do not take part, and the mask says they do.
//   scan_warp_watched           Stores the sums before the first round and after each one, with the test or without it.
//   scan_warp_exclusive         Without the own element: the sums move up by one lane at the end, and lane 0 gets 0.
//   scan_warp_group             `cg::inclusive_scan` of cooperative groups.
//   scan_warp_group_exclusive   `cg::exclusive_scan`.
//
// In a block, each block for itself:
//   scan_block                  Every warp scans, the first warp scans the sums of the warps, every warp adds its offset.
//   scan_block_no_first         The same without the barrier before the first warp reads the sums.
//   scan_block_no_second        The same without the barrier after the first warp has written the offsets.
//   scan_block_two_buffers      Hillis and Steele: log2(threads) rounds in shared memory, from one buffer into the other.
//   scan_block_in_place         The same in one buffer, with two barriers in each round.
//   scan_block_in_place_one     The same without the barrier between the loads and the stores of a round.
//   scan_block_tree             Blelloch: sums up a tree and down again, with fewer additions in twice as many rounds.
//
// Launch: scan_warp* any grid of blocks of a multiple of 32 threads; scan_block* the same, at most 1024 threads, and for
// scan_block_two_buffers, scan_block_in_place* and scan_block_tree a power of two. Preconditions: x and y hold an element
// for each thread of the grid, for scan_warp_watched y has six. A line that takes part in a race says so at its end.
//
// builds: sm_70

#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

#define FULL 0xffffffff

// ANCHOR: scan_warp
__device__ int scan_of_warp(int sum) {
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(FULL, sum, d);
        if (lane >= d) sum += left;
    }
    return sum;
}

extern "C" __global__ void scan_warp(const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = scan_of_warp(x[i]);
}
// ANCHOR_END: scan_warp

// ANCHOR: scan_warp_no_test
extern "C" __global__ void scan_warp_no_test(const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = x[i];
    for (int d = 1; d < 32; d *= 2) {
        sum += __shfl_up_sync(FULL, sum, d);
    }
    y[i] = sum;
}
// ANCHOR_END: scan_warp_no_test

// ANCHOR: scan_warp_shuffle_inside
extern "C" __global__ void scan_warp_shuffle_inside(const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int sum = x[i];
    for (int d = 1; d < 32; d *= 2) {
        if (lane >= d) sum += __shfl_up_sync(FULL, sum, d);
    }
    y[i] = sum;
}
// ANCHOR_END: scan_warp_shuffle_inside

// ANCHOR: scan_warp_watched
extern "C" __global__ void scan_warp_watched(const int* x, int* y, int is_tested) {
    int threads = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int sum = x[i];
    y[i] = sum;
    for (int round = 0; round < 5; round++) {
        int d = 1 << round;
        int left = __shfl_up_sync(FULL, sum, d);
        if (lane >= d || !is_tested) sum += left;
        y[(round + 1) * threads + i] = sum;
    }
}
// ANCHOR_END: scan_warp_watched

// ANCHOR: scan_warp_exclusive
extern "C" __global__ void scan_warp_exclusive(const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int below = __shfl_up_sync(FULL, scan_of_warp(x[i]), 1);
    y[i] = lane > 0 ? below : 0;
}
// ANCHOR_END: scan_warp_exclusive

// ANCHOR: scan_warp_group
extern "C" __global__ void scan_warp_group(const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    y[i] = cg::inclusive_scan(warp, x[i]);
}
// ANCHOR_END: scan_warp_group

// ANCHOR: scan_warp_group_exclusive
extern "C" __global__ void scan_warp_group_exclusive(const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    y[i] = cg::exclusive_scan(warp, x[i]);
}
// ANCHOR_END: scan_warp_group_exclusive

// ANCHOR: scan_block
extern "C" __global__ void scan_block(const int* x, int* y) {
    __shared__ int sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = scan_of_warp(x[i]);
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    if (warp == 0) sums[lane] = scan_of_warp(lane < blockDim.x / 32 ? sums[lane] : 0);
    __syncthreads();
    if (warp > 0) sum += sums[warp - 1];
    y[i] = sum;
}
// ANCHOR_END: scan_block

// ANCHOR: scan_block_no_first
extern "C" __global__ void scan_block_no_first(const int* x, int* y) {
    __shared__ int sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = scan_of_warp(x[i]);
    if (lane == 31) sums[warp] = sum;                                                        // race
    if (warp == 0) sums[lane] = scan_of_warp(lane < blockDim.x / 32 ? sums[lane] : 0);  // race
    __syncthreads();
    if (warp > 0) sum += sums[warp - 1];
    y[i] = sum;
}
// ANCHOR_END: scan_block_no_first

// ANCHOR: scan_block_no_second
extern "C" __global__ void scan_block_no_second(const int* x, int* y) {
    __shared__ int sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = scan_of_warp(x[i]);
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    if (warp == 0) sums[lane] = scan_of_warp(lane < blockDim.x / 32 ? sums[lane] : 0);  // race
    if (warp > 0) sum += sums[warp - 1];                                                     // race
    y[i] = sum;
}
// ANCHOR_END: scan_block_no_second

// ANCHOR: scan_block_two_buffers
extern "C" __global__ void scan_block_two_buffers(const int* x, int* y) {
    __shared__ int buffers[2][1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    int sum = x[i], into = 0;
    for (int d = 1; d < blockDim.x; d *= 2) {
        buffers[into][t] = sum;
        __syncthreads();
        if (t >= d) sum += buffers[into][t - d];
        into = 1 - into;
    }
    y[i] = sum;
}
// ANCHOR_END: scan_block_two_buffers

// ANCHOR: scan_block_in_place
extern "C" __global__ void scan_block_in_place(const int* x, int* y) {
    __shared__ int sums[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    sums[t] = x[i];
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        int left = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += left;
    }
    y[i] = sums[t];
}
// ANCHOR_END: scan_block_in_place

// ANCHOR: scan_block_in_place_one
extern "C" __global__ void scan_block_in_place_one(const int* x, int* y) {
    __shared__ int sums[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    sums[t] = x[i];
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        int left = t >= d ? sums[t - d] : 0;  // race
        sums[t] += left;                      // race
    }
    y[i] = sums[t];
}
// ANCHOR_END: scan_block_in_place_one

// ANCHOR: scan_block_tree
extern "C" __global__ void scan_block_tree(const int* x, int* y) {
    __shared__ int sums[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    sums[t] = x[i];
    // Up: the last element of each pair of neighbouring pieces becomes the sum of both.
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        int right = 2 * d * (t + 1) - 1;
        if (right < blockDim.x) sums[right] += sums[right - d];
    }
    // Down: a piece that is complete gives its sum to the first half of the next one.
    for (int d = blockDim.x / 4; d > 0; d /= 2) {
        __syncthreads();
        int right = 2 * d * (t + 1) - 1;
        if (right + d < blockDim.x) sums[right + d] += sums[right];
    }
    __syncthreads();
    y[i] = sums[t];
}
// ANCHOR_END: scan_block_tree
