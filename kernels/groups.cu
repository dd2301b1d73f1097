// Cooperative groups: objects for threads that work together, with their operations as members.
//
//   block_members     What a block reports about itself and about each thread: y[8 * i + k] of thread i of the grid is
//                     group_index() x, y, z, thread_index() x, y, z, thread_rank(), size().
//   tile_sums         Every thread gets the sums of its tiles of 4, 8, 16 and 32: y[4 * i + k] for the k-th of them.
//   tile_functions    What a tile of 8 offers, y[6 * i + k]: shfl(v, 3), shfl_up(v, 1), shfl_down(v, 1),
//                     shfl_xor(v, 1), ballot(v > 0), any(v > 100). No mask and no width: the tile knows both.
//   masked_functions  The same by the functions of the warp, which need the width and the mask. Votes have no width, so
//                     the bits of the segment are cut out.
//   forgotten_width   WRONG where tiles are meant: the width of the shuffles is missing, and the votes ask all lanes.
//   plain_groups      Sums of 4 by a group whose size is not part of its type: it can wait for its threads and number
//                     them, but has no shuffles, so the sum goes through shared memory.
//   filter_each       Keeps the positive elements, in any order: each of their lanes draws a place by an atomic.
//   filter_together   The same with one atomic for the lanes that arrive together, which one of them does for all.
//
// Launch: one-dimensional blocks of whole warps, 256 threads at most for plain_groups; block_members any shape;
// filter_* a grid that covers n.
// Preconditions: x and kept hold n elements, or one for each thread if there is no n; count is zero.
//
// builds: sm_70

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define FULL 0xffffffff

// ANCHOR: block_members
extern "C" __global__ void block_members(unsigned* y) {
    cg::thread_block block = cg::this_thread_block();
    dim3 group = block.group_index(), thread = block.thread_index();
    unsigned block_number = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned* own = y + 8 * (block_number * block.size() + block.thread_rank());
    own[0] = group.x;
    own[1] = group.y;
    own[2] = group.z;
    own[3] = thread.x;
    own[4] = thread.y;
    own[5] = thread.z;
    own[6] = block.thread_rank();
    own[7] = block.size();
}
// ANCHOR_END: block_members

// ANCHOR: tile_sums
template <unsigned size>
__device__ int tile_sum(cg::thread_block_tile<size> tile, int value) {
    for (int lane_mask = tile.size() / 2; lane_mask > 0; lane_mask /= 2) {
        value += tile.shfl_xor(value, lane_mask);
    }
    return value;
}

extern "C" __global__ void tile_sums(const int* x, int* y) {
    cg::thread_block block = cg::this_thread_block();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[4 * i] = tile_sum<4>(cg::tiled_partition<4>(block), x[i]);
    y[4 * i + 1] = tile_sum<8>(cg::tiled_partition<8>(block), x[i]);
    y[4 * i + 2] = tile_sum<16>(cg::tiled_partition<16>(block), x[i]);
    y[4 * i + 3] = tile_sum<32>(cg::tiled_partition<32>(block), x[i]);
}
// ANCHOR_END: tile_sums

// ANCHOR: tile_functions
extern "C" __global__ void tile_functions(const int* x, int* y) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];
    y[6 * i] = tile.shfl(v, 3);
    y[6 * i + 1] = tile.shfl_up(v, 1);
    y[6 * i + 2] = tile.shfl_down(v, 1);
    y[6 * i + 3] = tile.shfl_xor(v, 1);
    y[6 * i + 4] = tile.ballot(v > 0);
    y[6 * i + 5] = tile.any(v > 100);
}
// ANCHOR_END: tile_functions

// ANCHOR: masked_functions
extern "C" __global__ void masked_functions(const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];
    int first = threadIdx.x % 32 / 8 * 8;
    unsigned segment = 0xffu << first;
    y[6 * i] = __shfl_sync(FULL, v, 3, 8);
    y[6 * i + 1] = __shfl_up_sync(FULL, v, 1, 8);
    y[6 * i + 2] = __shfl_down_sync(FULL, v, 1, 8);
    y[6 * i + 3] = __shfl_xor_sync(FULL, v, 1, 8);
    y[6 * i + 4] = __ballot_sync(segment, v > 0) >> first;
    y[6 * i + 5] = __any_sync(segment, v > 100);
}
// ANCHOR_END: masked_functions

// ANCHOR: forgotten_width
extern "C" __global__ void forgotten_width(const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];
    y[6 * i] = __shfl_sync(FULL, v, 3);
    y[6 * i + 1] = __shfl_up_sync(FULL, v, 1);
    y[6 * i + 2] = __shfl_down_sync(FULL, v, 1);
    y[6 * i + 3] = __shfl_xor_sync(FULL, v, 1);
    y[6 * i + 4] = __ballot_sync(FULL, v > 0);
    y[6 * i + 5] = __any_sync(FULL, v > 100);
}
// ANCHOR_END: forgotten_width

// ANCHOR: plain_groups
extern "C" __global__ void plain_groups(const int* x, int* y) {
    __shared__ int values[256];
    cg::thread_group warp = cg::tiled_partition(cg::this_thread_block(), 32);
    cg::thread_group four = cg::tiled_partition(warp, 4);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int* own = values + threadIdx.x - four.thread_rank();
    own[four.thread_rank()] = x[i];
    four.sync();
    int sum = 0;
    for (int rank = 0; rank < four.size(); rank++) sum += own[rank];
    y[i] = sum;
}
// ANCHOR_END: plain_groups

// ANCHOR: filter_each
extern "C" __global__ void filter_each(const int* x, int* kept, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0) {
        int place = atomicAdd(count, 1);
        kept[place] = x[i];
    }
}
// ANCHOR_END: filter_each

// ANCHOR: filter_together
extern "C" __global__ void filter_together(const int* x, int* kept, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0) {
        cg::coalesced_group together = cg::coalesced_threads();
        int first = 0;
        if (together.thread_rank() == 0) first = atomicAdd(count, together.size());
        first = together.shfl(first, 0);
        kept[first + together.thread_rank()] = x[i];
    }
}
// ANCHOR_END: filter_together
