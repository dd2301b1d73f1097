// `cuda::atomic_ref`, `cuda::atomic` and `cuda::atomic_thread_fence` with orders and scopes that are known; `cuda::barrier`.
#include <cuda/atomic>
#include <cuda/barrier>
__global__ void k(int* x) {
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    if (threadIdx.x == 0) init(&b, blockDim.x);
    __syncthreads();
    b.arrive_and_wait();
    cuda::atomic_ref<int, cuda::thread_scope_device> r(*x);
    r.fetch_add(1, cuda::memory_order_relaxed);
    __shared__ cuda::atomic<int, cuda::thread_scope_block> c;
    if (threadIdx.x == 0) c.store(0, cuda::memory_order_relaxed);
    c.fetch_add(1, cuda::memory_order_acq_rel);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
}
