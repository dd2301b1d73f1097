// Messages between threads with `cuda::atomic_ref`: which order and which scope of an atomic access are enough.
//
//   ref_message              Block 0 writes data and stores to a flag with release; block 1 waits with acquire.
//   ref_message_relaxed      Both accesses to the flag are relaxed: atomic, but they order nothing.
//   ref_message_release      Only the store has an order: the reader may have read the data before it saw the flag.
//   ref_message_acquire      Only the load has an order: the flag may overtake the data.
//   ref_message_fences       Relaxed accesses to the flag, and a fence on each side of it.
//   ref_message_block_scope  Release and acquire between two blocks, in the scope of one block.
//   ref_message_no_flag      A fence on each side and no flag; both fences are sequentially consistent.
//   ref_in_block             A message between two warps of a block, with release and acquire in the scope of the block.
//   ref_in_block_relaxed     The same with relaxed accesses.
//   ref_last_block           Each block leaves a sum and draws a ticket with acquire and release; the last one adds up.
//   ref_last_block_release   The ticket is drawn with release only.
//   ref_last_block_relaxed   The ticket is drawn relaxed.
//
// Each is the counterpart of a kernel with fences in `messages.cu` or `locks.cu`.
//
// Launch: ref_message* a grid of 2 blocks of 32; ref_in_block* one block of 64; ref_last_block* a grid of blocks of 32,
// as many as there are sums. One lane of a warp works.
// Preconditions: data, flag, sums, tickets and total are zero; got holds two elements, the first for what was read and
// the second for whether the flag was seen. `patience` is how often the flag is looked at.
// A line that is part of a race says so at its end.
//
// builds: sm_70

#include <cuda/atomic>

using InDevice = cuda::atomic_ref<int, cuda::thread_scope_device>;
using InBlock = cuda::atomic_ref<int, cuda::thread_scope_block>;

// ANCHOR: ref_message
extern "C" __global__ void ref_message(int* data, int* flag, int* got, int patience) {
    if (threadIdx.x != 0) return;
    InDevice ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;
        ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0 && --patience > 0) {}
        if (patience > 0) {
            got[0] = *data;
            got[1] = 1;
        }
    }
}
// ANCHOR_END: ref_message

// ANCHOR: ref_message_relaxed
extern "C" __global__ void ref_message_relaxed(int* data, int* flag, int* got, int patience) {
    if (threadIdx.x != 0) return;
    InDevice ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;  // race
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_relaxed) == 0 && --patience > 0) {}
        if (patience > 0) {
            got[0] = *data;  // race
            got[1] = 1;
        }
    }
}
// ANCHOR_END: ref_message_relaxed

// ANCHOR: ref_message_release
extern "C" __global__ void ref_message_release(int* data, int* flag, int* got, int patience) {
    if (threadIdx.x != 0) return;
    InDevice ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;  // race
        ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_relaxed) == 0 && --patience > 0) {}
        if (patience > 0) {
            got[0] = *data;  // race
            got[1] = 1;
        }
    }
}
// ANCHOR_END: ref_message_release

// ANCHOR: ref_message_acquire
extern "C" __global__ void ref_message_acquire(int* data, int* flag, int* got, int patience) {
    if (threadIdx.x != 0) return;
    InDevice ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;  // race
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0 && --patience > 0) {}
        if (patience > 0) {
            got[0] = *data;  // race
            got[1] = 1;
        }
    }
}
// ANCHOR_END: ref_message_acquire

// ANCHOR: ref_message_fences
extern "C" __global__ void ref_message_fences(int* data, int* flag, int* got, int patience) {
    if (threadIdx.x != 0) return;
    InDevice ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_relaxed) == 0 && --patience > 0) {}
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        if (patience > 0) {
            got[0] = *data;
            got[1] = 1;
        }
    }
}
// ANCHOR_END: ref_message_fences

// ANCHOR: ref_message_block_scope
extern "C" __global__ void ref_message_block_scope(int* data, int* flag, int* got, int patience) {
    if (threadIdx.x != 0) return;
    InBlock ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;                                  // race
        ready.store(1, cuda::memory_order_release);  // race
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0 && --patience > 0) {}  // race
        if (patience > 0) {
            got[0] = *data;  // race
            got[1] = 1;
        }
    }
}
// ANCHOR_END: ref_message_block_scope

// ANCHOR: ref_message_no_flag
extern "C" __global__ void ref_message_no_flag(int* data, int* flag, int* got, int patience) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;  // race
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    } else {
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
        got[0] = *data;  // race
        got[1] = 1;
    }
}
// ANCHOR_END: ref_message_no_flag

// ANCHOR: ref_in_block
extern "C" __global__ void ref_in_block(int* data, int* flag, int* got, int patience) {
    InBlock ready(*flag);
    if (threadIdx.x == 0) {
        *data = 42;
        ready.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 32) {
        while (ready.load(cuda::memory_order_acquire) == 0 && --patience > 0) {}
        if (patience > 0) {
            got[0] = *data;
            got[1] = 1;
        }
    }
}
// ANCHOR_END: ref_in_block

// ANCHOR: ref_in_block_relaxed
extern "C" __global__ void ref_in_block_relaxed(int* data, int* flag, int* got, int patience) {
    InBlock ready(*flag);
    if (threadIdx.x == 0) {
        *data = 42;  // race
        ready.store(1, cuda::memory_order_relaxed);
    } else if (threadIdx.x == 32) {
        while (ready.load(cuda::memory_order_relaxed) == 0 && --patience > 0) {}
        if (patience > 0) {
            got[0] = *data;  // race
            got[1] = 1;
        }
    }
}
// ANCHOR_END: ref_in_block_relaxed

using Tickets = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__device__ void add_up(const int* sums, int* total) {
    int sum = 0;
    for (int block = 0; block < gridDim.x; block++) {
        sum += sums[block];
    }
    *total = sum;
}

// ANCHOR: ref_last_block
extern "C" __global__ void ref_last_block(int* sums, unsigned* tickets, int* total) {
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = blockIdx.x + 1;
    unsigned ticket = Tickets(*tickets).fetch_add(1, cuda::memory_order_acq_rel);
    if (ticket == gridDim.x - 1) add_up(sums, total);
}
// ANCHOR_END: ref_last_block

// ANCHOR: ref_last_block_release
extern "C" __global__ void ref_last_block_release(int* sums, unsigned* tickets, int* total) {
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = blockIdx.x + 1;  // race
    unsigned ticket = Tickets(*tickets).fetch_add(1, cuda::memory_order_release);
    if (ticket == gridDim.x - 1) add_up(sums, total);  // race
}
// ANCHOR_END: ref_last_block_release

// ANCHOR: ref_last_block_relaxed
extern "C" __global__ void ref_last_block_relaxed(int* sums, unsigned* tickets, int* total) {
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = blockIdx.x + 1;  // race
    unsigned ticket = Tickets(*tickets).fetch_add(1, cuda::memory_order_relaxed);
    if (ticket == gridDim.x - 1) add_up(sums, total);  // race
}
// ANCHOR_END: ref_last_block_relaxed
