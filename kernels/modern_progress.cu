// Locks and flags between the lanes of one warp with `cuda::atomic_ref`: the twins of the kernels in `progress.cu`.
//
//   ref_lock_after    Every lane takes a lock in a loop, with acquire, and releases it after the loop.
//   ref_lock_inside   The lock is released before the iteration of the loop ends, which needs no promise of progress.
//   ref_chain_after   Lane i waits for lane i - 1 and then frees lane i + 1, after the loop.
//   ref_one_produces  One lane stores a message and raises a flag that the others wait for, on the two sides of a branch.
//   ref_handshake     Each half of the warp raises a flag and waits for the flag of the other half.
//
// All lanes of a warp are in one block, so the scope of a block is enough. Orders and scopes say what a lane sees, and
// nothing about when it gets its turn: built for sm_60, where a warp has one program counter, the same lanes give up as
// in `progress.cu`. The words that chain and handshake wait for carry no message, so their accesses may be relaxed.
//
// Launch: one block of 32 threads. Preconditions: as in `progress.cu`; `lock`, `count`, `flag` (two words) and `data` are
// zero; `cell` has 33 words, the first 1 and the others 0; `through` has 32 words. Every loop gives up after `patience`
// iterations, and through[lane] is 1 for a lane that got what it waited for.
// A line that is part of a race says so at its end. The race is one between lanes that gave up, built for sm_60.
//
// builds: sm_70, sm_60

#include <cuda/atomic>

using InBlock = cuda::atomic_ref<int, cuda::thread_scope_block>;

__device__ bool take(InBlock lock) {
    int open = 0;
    return lock.compare_exchange_strong(open, 1, cuda::memory_order_acquire);
}

// ANCHOR: ref_lock_after
extern "C" __global__ void ref_lock_after(int* word, int* count, int* through, int patience) {
    InBlock lock(*word);
    int left = patience;
    while (!take(lock) && left > 0) left--;

    *count += 1;  // race
    lock.store(0, cuda::memory_order_release);
    through[threadIdx.x] = left > 0;
}
// ANCHOR_END: ref_lock_after

// ANCHOR: ref_lock_inside
extern "C" __global__ void ref_lock_inside(int* word, int* count, int* through, int patience) {
    InBlock lock(*word);
    int left = patience;
    bool done = false;
    while (!done && left > 0) {
        if (take(lock)) {
            *count += 1;
            lock.store(0, cuda::memory_order_release);
            done = true;
        } else {
            left--;
        }
    }
    through[threadIdx.x] = done;
}
// ANCHOR_END: ref_lock_inside

// ANCHOR: ref_chain_after
extern "C" __global__ void ref_chain_after(int* cell, int* through, int patience) {
    int lane = threadIdx.x, left = patience;
    InBlock own(cell[lane]), next(cell[lane + 1]);
    while (own.load(cuda::memory_order_relaxed) == 0 && left > 0) left--;

    next.store(1, cuda::memory_order_relaxed);
    through[lane] = left > 0;
}
// ANCHOR_END: ref_chain_after

// ANCHOR: ref_one_produces
extern "C" __global__ void ref_one_produces(int* word, int* data, int* through, int producer, int patience) {
    InBlock flag(*word);
    int lane = threadIdx.x, left = patience;
    if (lane == producer) {
        *data = 1;
        flag.store(1, cuda::memory_order_release);
        through[lane] = 1;
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0 && left > 0) left--;
        through[lane] = left > 0 ? *data : 0;
    }
}
// ANCHOR_END: ref_one_produces

// ANCHOR: ref_handshake
extern "C" __global__ void ref_handshake(int* flags, int* through, int patience) {
    InBlock first(flags[0]), second(flags[1]);
    int lane = threadIdx.x, left = patience;
    if (lane < 16) {
        first.store(1, cuda::memory_order_relaxed);
        while (second.load(cuda::memory_order_relaxed) == 0 && left > 0) left--;
    } else {
        second.store(1, cuda::memory_order_relaxed);
        while (first.fetch_add(0, cuda::memory_order_relaxed) == 0 && left > 0) left--;
    }
    through[lane] = left > 0;
}
// ANCHOR_END: ref_handshake
