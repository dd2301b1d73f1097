// Locks that are taken many times, and messages with too few fences: the continuation of `messages.cu`.
//
//   rounds_no_fence         A lock by compare-and-swap, given back by a plain store: the obvious first version.
//   rounds_note             The same with a fence before the lock is given back, as it is often taught.
//   rounds_exchange         No fence, but an exchange gives the lock back: an atomic that orders nothing.
//   rounds_fences           A fence after the lock is taken, and one before an exchange gives it back.
//   rounds_acquire_release  The same in the memory model's own terms: acquire takes the lock, release gives it back.
//   rounds_ticket           Blocks draw numbers and are served in this order, with fences: none is overtaken.
//   rounds_ticket_no_fence  The same without fences.
//   message_no_flag         Block 0 writes data and has a fence, block 1 has a fence and reads it; there is no flag.
//   message_in_block        A message between two warps of a block, with a flag and with fences for the block.
//   message_in_block_none   The same without fences.
//   last_block_one_fence    last_block_fence of `messages.cu` without the second fence, as it is often taught.
//
// Launch: rounds_* any grid of blocks of 32, in which lane 0 works; message_no_flag a grid of 2 blocks of 32;
// message_in_block* one block of 64; last_block_one_fence a grid of as many blocks as there are sums.
// Preconditions: lock (two words for rounds_ticket*), count, gave_up, data, flag, sums, tickets and total are zero; got
// holds two elements, the first for what was read and the second for whether the flag was seen. `patience` is how often
// a lock or a flag is tried. A block that gives up ends, and gave_up counts these blocks.
// A line that is part of a race says so at its end.
//
// builds: sm_70

__device__ bool take(int* lock, int* gave_up, int patience) {
    while (atomicCAS(lock, 0, 1) != 0) {
        if (--patience > 0) continue;
        atomicAdd(gave_up, 1);
        return false;
    }
    return true;
}

// ANCHOR: rounds_no_fence
extern "C" __global__ void rounds_no_fence(int* lock, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    for (int round = 0; round < rounds && take(lock, gave_up, patience); round++) {  // race
        *count += 1;  // race
        *lock = 0;    // race
    }
}
// ANCHOR_END: rounds_no_fence

// ANCHOR: rounds_note
extern "C" __global__ void rounds_note(int* lock, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    for (int round = 0; round < rounds && take(lock, gave_up, patience); round++) {  // race
        *count += 1;  // race
        __threadfence();
        *lock = 0;  // race
    }
}
// ANCHOR_END: rounds_note

// ANCHOR: rounds_exchange
extern "C" __global__ void rounds_exchange(int* lock, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    for (int round = 0; round < rounds && take(lock, gave_up, patience); round++) {
        *count += 1;  // race
        atomicExch(lock, 0);
    }
}
// ANCHOR_END: rounds_exchange

// ANCHOR: rounds_fences
extern "C" __global__ void rounds_fences(int* lock, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    for (int round = 0; round < rounds && take(lock, gave_up, patience); round++) {
        __threadfence();
        *count += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
// ANCHOR_END: rounds_fences

__device__ bool acquire(int* lock, int* gave_up, int patience) {
    int old;
    do {
        asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "l"(lock) : "memory");
    } while (old != 0 && --patience > 0);
    if (old != 0) atomicAdd(gave_up, 1);
    return old == 0;
}

__device__ void release(int* lock) {
    asm volatile("st.release.gpu.b32 [%0], 0;" : : "l"(lock) : "memory");
}

// ANCHOR: rounds_acquire_release
extern "C" __global__ void rounds_acquire_release(int* lock, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    for (int round = 0; round < rounds && acquire(lock, gave_up, patience); round++) {
        *count += 1;
        release(lock);
    }
}
// ANCHOR_END: rounds_acquire_release

__device__ bool wait_for(volatile int* serving, int ticket, int* gave_up, int patience) {
    while (*serving != ticket) {
        if (--patience > 0) continue;
        atomicAdd(gave_up, 1);
        return false;
    }
    return true;
}

// ANCHOR: rounds_ticket
extern "C" __global__ void rounds_ticket(int* lock, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    volatile int* serving = lock + 1;
    for (int round = 0; round < rounds; round++) {
        int ticket = atomicAdd(lock, 1);
        if (!wait_for(serving, ticket, gave_up, patience)) return;
        __threadfence();
        *count += 1;
        __threadfence();
        *serving = ticket + 1;
    }
}
// ANCHOR_END: rounds_ticket

// ANCHOR: rounds_ticket_no_fence
extern "C" __global__ void rounds_ticket_no_fence(int* lock, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    volatile int* serving = lock + 1;
    for (int round = 0; round < rounds; round++) {
        int ticket = atomicAdd(lock, 1);
        if (!wait_for(serving, ticket, gave_up, patience)) return;
        *count += 1;  // race
        *serving = ticket + 1;
    }
}
// ANCHOR_END: rounds_ticket_no_fence

// ANCHOR: message_no_flag
extern "C" __global__ void message_no_flag(int* data, volatile int* flag, int* got, int patience) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;  // race
        __threadfence();
    } else {
        __threadfence();
        got[0] = *data;  // race
        got[1] = 1;
    }
}
// ANCHOR_END: message_no_flag

// ANCHOR: message_in_block
extern "C" __global__ void message_in_block(int* data, volatile int* flag, int* got, int patience) {
    if (threadIdx.x == 0) {
        *data = 42;
        __threadfence_block();
        *flag = 1;
    } else if (threadIdx.x == 32) {
        while (*flag == 0 && --patience > 0) {}
        __threadfence_block();
        if (patience > 0) {
            got[0] = *data;
            got[1] = 1;
        }
    }
}
// ANCHOR_END: message_in_block

// ANCHOR: message_in_block_none
extern "C" __global__ void message_in_block_none(int* data, volatile int* flag, int* got, int patience) {
    if (threadIdx.x == 0) {
        *data = 42;  // race
        *flag = 1;
    } else if (threadIdx.x == 32) {
        while (*flag == 0 && --patience > 0) {}
        if (patience > 0) {
            got[0] = *data;  // race
            got[1] = 1;
        }
    }
}
// ANCHOR_END: message_in_block_none

// ANCHOR: last_block_one_fence
extern "C" __global__ void last_block_one_fence(int* sums, unsigned* tickets, int* total) {
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = blockIdx.x + 1;  // race
    __threadfence();
    unsigned ticket = atomicAdd(tickets, 1);
    if (ticket != gridDim.x - 1) return;

    int sum = 0;
    for (int block = 0; block < gridDim.x; block++) {
        sum += sums[block];  // race
    }
    *total = sum;
}
// ANCHOR_END: last_block_one_fence
