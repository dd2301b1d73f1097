// 64 threads. A block's pipeline with one stage: all threads copy, and all compute.
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
extern "C" __global__ void kernel(float* out, const float* in, int batches) {
    __shared__ float tile[64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int batch = 0; batch < batches; batch++) {
        pipe.producer_acquire(); // needed: race
        cuda::memcpy_async(block, tile, in + batch * 64, sizeof(tile), pipe);
        pipe.producer_commit();
        pipe.consumer_wait(); // needed: race
        out[batch * 64 + threadIdx.x] = 2 * tile[63 - threadIdx.x];
        pipe.consumer_release();
    }
    pipe.quit();
}
