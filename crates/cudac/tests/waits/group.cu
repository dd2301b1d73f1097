// 64 threads. Copies by a block and by warps, of as many elements as there are and of bytes that are not aligned.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void kernel(float* out, const float* in, int batches) {
    __shared__ float tile[64];
    __shared__ alignas(16) char bytes[2][256];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    for (int batch = 0; batch < batches; batch++) {
        cg::memcpy_async(block, tile, 64, in + batch * 64, (batches - batch) * 64);
        cg::wait(block); // needed: race
        const float first = tile[63 - threadIdx.x];
        char* of_warp = bytes[warp.meta_group_rank()];
        cg::memcpy_async(warp, of_warp + 1, (const char*)(in + batch * 64) + 1, 255);
        cg::wait_prior<0>(warp); // needed: race uninitialised
        const char* last = of_warp + 4 * (63 - threadIdx.x);
        const unsigned low = last == of_warp ? 0u : (unsigned)(unsigned char)last[0];
        const unsigned rest = (unsigned)(unsigned char)last[1] << 8 | (unsigned)(unsigned char)last[2] << 16;
        out[batch * 64 + threadIdx.x] = first + __uint_as_float(low | rest | (unsigned)(unsigned char)last[3] << 24);
        block.sync(); // needed: race
    }
}
