// 16 threads. Pipelines of threads, each of which copies what it reads itself.
#include <cuda/pipeline>
extern "C" __global__ void kernel(float* out, const float* in, int batches) {
    __shared__ float4 tiles[4][16];
    auto pipe = cuda::make_pipeline();
    const int i = threadIdx.x;
    for (int batch = 0, ahead = 0; batch < batches; batch++) {
        for (; ahead < batches && ahead < batch + 4; ahead++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tiles[ahead % 4][i], (const float4*)in + ahead * 16 + i, sizeof(float4), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait(); // needed: race
        const float4 x = tiles[batch % 4][i];
        pipe.consumer_release();
        ((float4*)out)[batch * 16 + 15 - i] = make_float4(2 * x.w, 2 * x.z, 2 * x.y, 2 * x.x);
    }
}
