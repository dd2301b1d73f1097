// 64 threads. A block's pipeline with three stages: copies are two batches ahead.
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
constexpr size_t STAGES = 3;
extern "C" __global__ void kernel(float* out, const float* in, int batches) {
    __shared__ alignas(16) float tiles[STAGES][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    cuda::pipeline<cuda::thread_scope_block> pipe = cuda::make_pipeline(block, &state);
    int ahead = 0;
    for (int batch = 0; batch < batches; batch++) {
        for (; ahead < batches && ahead < batch + (int)STAGES; ahead++) {
            pipe.producer_acquire(); // needed: race
            cuda::memcpy_async(block, tiles[ahead % STAGES], in + ahead * 64, cuda::aligned_size_t<16>(64 * sizeof(float)), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait(); // needed: race
        out[batch * 64 + threadIdx.x] = 2 * tiles[batch % STAGES][63 - threadIdx.x];
        pipe.consumer_release();
    }
}
