// 64 threads. The functions without a type; a barrier of this kind, and zeros.
#include <cuda_pipeline.h>
extern "C" __global__ void kernel(float* out, const float* in, int batches) {
    __shared__ float4 tile[32];
    const int i = threadIdx.x;
    for (int batch = 0; batch < batches; batch++) {
        // The upper half reads 4 bytes and gets zeros for the rest.
        if (i < 16) __pipeline_memcpy_async(&tile[i], (const float4*)in + batch * 16 + i, 16);
        else if (i < 32) __pipeline_memcpy_async(&tile[i], (const float4*)in + batch * 16 + i - 16, 16, 12);
        __pipeline_commit();
        __pipeline_wait_prior(0); // needed: race
        __syncthreads(); // needed: race
        const float* all = (const float*)tile;
        out[batch * 64 + i] = 2 * all[63 - i] + (i % 4 == 3 ? all[127 - i] - all[63 - i] : all[127 - i]);
        __syncthreads(); // needed: race
    }
}
