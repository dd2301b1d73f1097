// `cooperative_groups`: blocks, grids, tiles, coalesced groups, `reduce`, scans, `invoke_one`.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void k(int* x) {
    auto t = cg::tiled_partition<16>(cg::this_thread_block());
    x[0] = cg::reduce(t, x[1], cg::plus<int>()) + cg::inclusive_scan(t, x[2]);
    auto c = cg::coalesced_threads();
    c.sync();
    cg::invoke_one(t, [&] { x[3] = cg::this_grid().thread_rank(); });
}
