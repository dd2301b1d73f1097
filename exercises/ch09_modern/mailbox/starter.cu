// Block 0 hands n numbers to block 1, one after another, through a slot that
// has room for one. `word` says whose turn it is: at 2 * i block 0 may put
// number i into the slot, and at 2 * i + 1 block 1 may take it out.
//
// word is zero before. Blocks have 32 threads, of which one works. A block that
// has waited for `patience` looks gives up.
#include <cuda/atomic>

extern "C" __global__ void mailbox(const int* x, int* slot, int* word, int* y,
                                   int n, int patience) {
    if (threadIdx.x != 0) return;
    // TODO: choose a scope, and an order for each load and store of the turn.
    cuda::atomic_ref<int, cuda::thread_scope_block> turn(*word);
    cuda::memory_order get = cuda::memory_order_relaxed;
    cuda::memory_order put = cuda::memory_order_relaxed;
    cuda::memory_order back = cuda::memory_order_relaxed;
    for (int i = 0; i < n; i++) {
        if (blockIdx.x == 0) {
            // TODO: wait for the turn, put x[i] into the slot, pass the turn.
        } else {
            // TODO: wait for the turn, take y[i] out of the slot, pass it back.
        }
    }
}
