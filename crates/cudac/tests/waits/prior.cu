// 64 threads. Pipelines of threads whose copies others read: all but the last copies are done, and then the block waits.
#include <cuda/pipeline>
extern "C" __global__ void kernel(float* out, const float* in, int batches) {
    __shared__ float tiles[2][64];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    const int i = threadIdx.x;
    cuda::memcpy_async(tiles[0] + i, in + i, sizeof(float), pipe);
    pipe.producer_commit();
    for (int batch = 0; batch < batches; batch++) {
        if (batch + 1 < batches) cuda::memcpy_async(tiles[(batch + 1) % 2] + i, in + (batch + 1) * 64 + i, sizeof(float), pipe);
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<1>(pipe); // needed: race
        __syncthreads(); // needed: race
        out[batch * 64 + i] = 2 * tiles[batch % 2][63 - i];
        __syncthreads(); // needed: race
    }
}
