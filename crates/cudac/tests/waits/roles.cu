// 128 threads. Two warps copy for the other two, which compute.
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
constexpr int STAGES = 2;
extern "C" __global__ void kernel(float* out, const float* in, int batches) {
    __shared__ float tiles[STAGES][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    const int i = block.thread_rank() % 64;
    const auto role = block.thread_rank() < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    if (role == cuda::pipeline_role::producer) {
        for (int batch = 0; batch < batches; batch++) {
            pipe.producer_acquire(); // needed: race
            cuda::memcpy_async(&tiles[batch % STAGES][i], in + batch * 64 + i, sizeof(float), pipe);
            pipe.producer_commit();
        }
    } else {
        for (int batch = 0; batch < batches; batch++) {
            pipe.consumer_wait(); // needed: race livelock
            out[batch * 64 + i] = 2 * tiles[batch % STAGES][63 - i];
            pipe.consumer_release();
        }
    }
}
