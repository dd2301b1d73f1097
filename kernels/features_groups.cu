// Breadth, 6 of 6: cooperative groups, in which threads form a group by name and not by arithmetic. One block of a
// multiple of 32 threads, thread i with element i.
//
//   group_block      z[i] = x[size - 1 - rank] of the whole block, through shared memory; at most 256 threads.
//   group_tiles      2 results, z[2 * i + k]: the sum of x over the tile of 16 threads, and over the tile of 4.
//   group_votes      2 results: the mask of x > 0 in the tile of 16, and its number of threads.
//   group_coalesced  2 results: the rank among the threads of the warp with x[i] > 0, and their number; else -1 twice.
//   group_grid       z[r] = r for every thread of the grid, where r is its rank; several blocks.
//
// builds: sm_70, sm_60, sm_75, sm_70-debug

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void group_block(const int* x, int* z) {
    __shared__ int buffer[256];
    cg::thread_block block = cg::this_thread_block();
    int rank = block.thread_rank();
    buffer[rank] = x[rank];
    block.sync();
    z[rank] = buffer[block.size() - 1 - rank];
}

template <unsigned size>
__device__ int sum(cg::thread_block_tile<size> tile, int value) {
    for (int offset = size / 2; offset > 0; offset /= 2) {
        value += tile.shfl_xor(value, offset);
    }
    return value;
}

extern "C" __global__ void group_tiles(const int* x, int* z) {
    cg::thread_block block = cg::this_thread_block();
    int i = block.thread_rank();
    z[2 * i] = sum<16>(cg::tiled_partition<16>(block), x[i]);
    z[2 * i + 1] = sum<4>(cg::tiled_partition<4>(block), x[i]);
}

extern "C" __global__ void group_votes(const int* x, unsigned* z) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int i = block.thread_rank();
    z[2 * i] = tile.ballot(x[i] > 0);
    z[2 * i + 1] = tile.size();
}

extern "C" __global__ void group_coalesced(const int* x, int* z) {
    int i = threadIdx.x;
    z[2 * i] = -1;
    z[2 * i + 1] = -1;
    if (x[i] > 0) {
        cg::coalesced_group together = cg::coalesced_threads();
        z[2 * i] = together.thread_rank();
        z[2 * i + 1] = together.size();
    }
}

extern "C" __global__ void group_grid(unsigned* z) {
    auto grid = cg::this_grid();
    z[grid.thread_rank()] = grid.thread_rank();
}
