// Sums of a group by `cg::reduce`, a template that takes the group's size from its type.
//
//   sums_reduce       The sum of a warp, a tile of 32, again and again: sums_shuffles of `modern_warps.cu` in one call.
//   sums_reduce_of_8  The same in tiles of 8.
//
// Launch: any grid of blocks of whole warps. Preconditions: x and y hold an element for each thread.
//
// builds: sm_80, sm_70

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// ANCHOR: sums_reduce
template <unsigned size>
__device__ void sums_of_tiles(const unsigned* x, unsigned* y, int rounds) {
    auto tile = cg::tiled_partition<size>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = x[i];
    for (int round = 0; round < rounds; round++) {
        value = cg::reduce(tile, value, cg::plus<unsigned>()) + threadIdx.x % 32;
    }
    y[i] = value;
}

extern "C" __global__ void sums_reduce(const unsigned* x, unsigned* y, int rounds) {
    sums_of_tiles<32>(x, y, rounds);
}

extern "C" __global__ void sums_reduce_of_8(const unsigned* x, unsigned* y, int rounds) {
    sums_of_tiles<8>(x, y, rounds);
}
// ANCHOR_END: sums_reduce
