// Groups of eight: the sum of every eight elements, by a tile of eight threads.
//
// sums[g] is the sum of the elements 8 g to 8 g + 7, or of those that exist: n
// need not be a multiple of eight. The first thread of a tile stores its sum.

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups_of_eight(const int* in, int* sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    if (i < n) {
        int sum = in[i];
        for (int offset = tile.size() / 2; offset > 0; offset /= 2) {
            sum += tile.shfl_down(sum, offset);
        }
        if (tile.thread_rank() == 0) sums[i / 8] = sum;
    }
}
