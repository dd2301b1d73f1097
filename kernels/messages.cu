// Messages and locks: when one thread sees what another has stored, and the fences on which that depends.
//
//   message_no_fence     Block 0 writes data and raises a flag; block 1 waits for the flag and reads the data.
//   message_fences       The same with a fence on both sides of the flag.
//   message_one_fence    Only the writer has a fence: the reader may have read the data before it saw the flag.
//   message_block_fence  A message between blocks with fences for the block, a scope that is too small.
//   lock_no_fence        Every block adds one to a counter under a lock that orders nothing.
//   lock_one_fence       A fence before the lock is given back: enough on today's hardware, not in the memory model.
//   lock_fences          A fence after the lock is taken and one before it is given back.
//   last_block_no_fence  Every block leaves a sum and draws a ticket; the block with the last ticket adds up the sums.
//   last_block_fence     The same with a fence before the ticket is drawn, and one before the sums are read.
//
// Launch: blocks of 32 in which lane 0 works; message_* a grid of 2; last_block_* a grid of as many blocks as there are
// sums. No thread waits without limit: patience is how often a flag or a lock is tried.
// Preconditions: data, flag, lock, count, tickets and total are zero; got holds two elements, the first for what was
// read and the second for whether the flag was seen.
// A line that is part of a race says so at its end, and a test compares these lines with what the emulator reports.
//
// builds: sm_70, sm_60, sm_70-debug

// ANCHOR: message_no_fence
extern "C" __global__ void message_no_fence(int* data, volatile int* flag, int* got, int patience) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;  // race
        *flag = 1;
    } else {
        while (*flag == 0 && --patience > 0) {}
        if (patience > 0) {
            got[0] = *data;  // race
            got[1] = 1;
        }
    }
}
// ANCHOR_END: message_no_fence

// ANCHOR: message_fences
extern "C" __global__ void message_fences(int* data, volatile int* flag, int* got, int patience) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0 && --patience > 0) {}
        __threadfence();
        if (patience > 0) {
            got[0] = *data;
            got[1] = 1;
        }
    }
}
// ANCHOR_END: message_fences

// ANCHOR: message_one_fence
extern "C" __global__ void message_one_fence(int* data, volatile int* flag, int* got, int patience) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;  // race
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0 && --patience > 0) {}
        if (patience > 0) {
            got[0] = *data;  // race
            got[1] = 1;
        }
    }
}
// ANCHOR_END: message_one_fence

// ANCHOR: message_block_fence
extern "C" __global__ void message_block_fence(int* data, volatile int* flag, int* got, int patience) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;  // race
        __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0 && --patience > 0) {}
        __threadfence_block();
        if (patience > 0) {
            got[0] = *data;  // race
            got[1] = 1;
        }
    }
}
// ANCHOR_END: message_block_fence

__device__ bool take(int* lock, int patience) {
    while (atomicCAS(lock, 0, 1) != 0) {
        if (--patience <= 0) return false;
    }
    return true;
}

// ANCHOR: lock_no_fence
extern "C" __global__ void lock_no_fence(int* lock, int* count, int patience) {
    if (threadIdx.x != 0 || !take(lock, patience)) return;
    *count += 1;  // race
    atomicExch(lock, 0);
}
// ANCHOR_END: lock_no_fence

// ANCHOR: lock_one_fence
extern "C" __global__ void lock_one_fence(int* lock, int* count, int patience) {
    if (threadIdx.x != 0 || !take(lock, patience)) return;
    *count += 1;  // race
    __threadfence();
    atomicExch(lock, 0);
}
// ANCHOR_END: lock_one_fence

// ANCHOR: lock_fences
extern "C" __global__ void lock_fences(int* lock, int* count, int patience) {
    if (threadIdx.x != 0 || !take(lock, patience)) return;
    __threadfence();
    *count += 1;
    __threadfence();
    atomicExch(lock, 0);
}
// ANCHOR_END: lock_fences

// ANCHOR: last_block_no_fence
extern "C" __global__ void last_block_no_fence(int* sums, unsigned* tickets, int* total) {
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = blockIdx.x + 1;  // race
    unsigned ticket = atomicAdd(tickets, 1);
    if (ticket != gridDim.x - 1) return;

    int sum = 0;
    for (int block = 0; block < gridDim.x; block++) {
        sum += sums[block];  // race
    }
    *total = sum;
}
// ANCHOR_END: last_block_no_fence

// ANCHOR: last_block_fence
extern "C" __global__ void last_block_fence(int* sums, unsigned* tickets, int* total) {
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    unsigned ticket = atomicAdd(tickets, 1);
    if (ticket != gridDim.x - 1) return;

    __threadfence();
    int sum = 0;
    for (int block = 0; block < gridDim.x; block++) {
        sum += sums[block];
    }
    *total = sum;
}
// ANCHOR_END: last_block_fence
