// 96 threads. One warp copies; it is counted, and not named, when the pipeline is made.
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
extern "C" __global__ void kernel(float* out, const float* in, int batches) {
    __shared__ float tiles[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto pipe = cuda::make_pipeline(block, &state, (size_t)32);
    for (int batch = 0; batch < batches; batch++) {
        float* tile = tiles[batch % 2];
        if (warp.meta_group_rank() == 2) {
            pipe.producer_acquire(); // needed: race
            cuda::memcpy_async(warp, (float2*)tile, (const float2*)(in + batch * 64), 256, pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait(); // needed: race livelock
            out[batch * 64 + threadIdx.x] = 2 * tile[63 - threadIdx.x];
            pipe.consumer_release();
        }
    }
}
