// Groups of eight: the sum of every eight elements, by a tile of eight threads.
//
// sums[g] is the sum of the elements 8 g to 8 g + 7, or of those that exist: n
// need not be a multiple of eight. The first thread of a tile stores its sum.

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups_of_eight(const int* in, int* sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
//= solution
    int sum = i < n ? in[i] : 0;
    for (int offset = tile.size() / 2; offset > 0; offset /= 2) {
        sum += tile.shfl_down(sum, offset);
    }
    if (i < n && tile.thread_rank() == 0) sums[i / 8] = sum;
//= starter
//    if (i < n) {
//        int sum = in[i];
//        for (int offset = tile.size() / 2; offset > 0; offset /= 2) {
//            sum += tile.shfl_down(sum, offset);
//        }
//        if (tile.thread_rank() == 0) sums[i / 8] = sum;
//    }
//= wrong who_came
//    if (i < n) {
//        auto came = cg::coalesced_threads();
//        int sum = in[i];
//        for (int offset = came.size() / 2; offset > 0; offset /= 2) {
//            sum += came.shfl_down(sum, offset);
//        }
//        if (tile.thread_rank() == 0) sums[i / 8] = sum;
//    }
//= wrong early_return
//    if (i >= n) return;
//    int sum = in[i];
//    for (int offset = tile.size() / 2; offset > 0; offset /= 2) {
//        sum += tile.shfl_down(sum, offset);
//    }
//    if (tile.thread_rank() == 0) sums[i / 8] = sum;
//= wrong no_one_stores
//    int sum = i < n ? in[i] : 0;
//    for (int offset = tile.size() / 2; offset > 0; offset /= 2) {
//        sum += tile.shfl_down(sum, offset);
//    }
//    if (i + 7 < n && tile.thread_rank() == 0) sums[i / 8] = sum;
//= wrong one_too_many
//    int sum = i < n ? in[i] : 0;
//    for (int offset = tile.size() / 2; offset > 0; offset /= 2) {
//        sum += tile.shfl_down(sum, offset);
//    }
//    if (i <= n && tile.thread_rank() == 0) sums[i / 8] = sum;
//= wrong the_block_ranks
//    int sum = i < n ? in[i] : 0;
//    for (int offset = tile.size() / 2; offset > 0; offset /= 2) {
//        sum += tile.shfl_down(sum, offset);
//    }
//    auto block = cg::this_thread_block();
//    if (i < n && block.thread_rank() == 0) sums[i / 8] = sum;
//= end
}
