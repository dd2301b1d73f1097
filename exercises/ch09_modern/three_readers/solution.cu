// One notice and three readers: warps 1 and 2 of the writer's own block, and
// warp 3 of the other block.
//
// data, flag and got are zero before; got has a word for each reader. All of
// them wait for the flag, which warp 0 of block 0 raises.
#include <cuda/atomic>

using InDevice = cuda::atomic_ref<int, cuda::thread_scope_device>;
using InBlock = cuda::atomic_ref<int, cuda::thread_scope_block>;

extern "C" __global__ void three_readers(int* data, int* flag, int* got) {
    int warp = threadIdx.x / 32, block = blockIdx.x, patience = 10000;
    if (threadIdx.x % 32 != 0) return;

    if (block == 0 && warp == 0) {
        *data = 7;  // (A)
        InDevice(*flag).store(1, cuda::memory_order_release);
    }
    if (block == 0 && warp == 1) {
        while (InBlock(*flag).load(cuda::memory_order_acquire) == 0 && --patience > 0) {}
        if (patience > 0) got[0] = *data;  // (B)
    }
    if (block == 0 && warp == 2) {
        while (InDevice(*flag).load(cuda::memory_order_relaxed) == 0 && --patience > 0) {}
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        if (patience > 0) got[1] = *data;  // (C)
    }
    if (block == 1 && warp == 3) {
        while (InBlock(*flag).load(cuda::memory_order_acquire) == 0 && --patience > 0) {}
        if (patience > 0) got[2] = *data;  // (D)
    }
}
