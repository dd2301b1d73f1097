// 64 threads. A bulk copy for each batch, which an mbarrier waits for by its bytes.
#include <cuda/barrier>
#include <cuda/ptx>
extern "C" __global__ void kernel(float* out, const float* in, int batches) {
    __shared__ alignas(16) float tile[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> filled;
    __shared__ alignas(8) unsigned long other;
    if (threadIdx.x == 0) init(&filled, 64), cuda::ptx::mbarrier_init(&other, 1);
    if (threadIdx.x == 0) cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
    __syncthreads();
    for (int batch = 0; batch < batches; batch++) {
        if (batch % 2 == 0) {
            cuda::barrier<cuda::thread_scope_block>::arrival_token token;
            if (threadIdx.x == 0) {
                cuda::device::memcpy_async_tx(tile, in + batch * 64, cuda::aligned_size_t<16>(sizeof(tile)), filled);
                token = cuda::device::barrier_arrive_tx(filled, 1, sizeof(tile));
            } else {
                token = filled.arrive();
            }
            filled.wait(token); // needed: race
        } else {
            if (threadIdx.x == 0) {
                cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, tile, in + batch * 64, 256, &other);
                cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared, &other, 256);
            }
            while (!cuda::ptx::mbarrier_try_wait_parity(&other, batch / 2 % 2)) {} // needed: race
        }
        out[batch * 64 + threadIdx.x] = 2 * tile[63 - threadIdx.x];
        __syncthreads(); // needed: race
    }
}
