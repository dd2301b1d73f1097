// Locks with `cuda::atomic_ref`: the orders and scopes that they need, and what threads do while they wait.
//
//   ref_rounds              A lock by compare-and-swap: acquire takes it, release gives it back.
//   ref_rounds_default      The same with no order named, which means sequentially consistent.
//   ref_rounds_relaxed      Both accesses to the lock are relaxed: one owner at a time, but nothing else is ordered.
//   ref_rounds_release      Only giving back has an order.
//   ref_rounds_acquire      Only taking has an order.
//   ref_rounds_block_scope  Acquire and release in the scope of a block, for a lock between blocks.
//   ref_ticket              Blocks draw numbers and are served in this order, with acquire and release.
//   ref_ticket_relaxed      The same with relaxed accesses.
//   wait_spin               The lock of ref_rounds: a block that waits tries again at once.
//   wait_look               A block that waits only looks at the lock, and tries when it has seen it open.
//   wait_doubling           A block that waits sleeps before it tries again, each time twice as long, up to a bound.
//   wait_long               A block that waits always sleeps for as long as that bound.
//   add_built_in            Every thread adds one to a counter by atomicAdd.
//   add_relaxed             The same by fetch_add, relaxed.
//   add_default             The same by fetch_add with no order named.
//
// Each of the first eight is the counterpart of a lock in `locks.cu`; lock_* of `messages.cu` are the same for one round.
//
// Launch: ref_* and wait_* any grid of blocks of 32, in which lane 0 works; add_* any grid, one thread for an addition.
// Preconditions: lock (two words for ref_ticket*), count, gave_up and the `cells` counters are zero. `patience` is how
// often a block tries. A block that gives up ends, and gave_up counts these blocks.
// A line that is part of a race says so at its end.
//
// builds: sm_70

#include <cuda/atomic>

using InDevice = cuda::atomic_ref<int, cuda::thread_scope_device>;
using InBlock = cuda::atomic_ref<int, cuda::thread_scope_block>;

// ANCHOR: take
template <cuda::thread_scope scope>
__device__ bool take(cuda::atomic_ref<int, scope> lock, cuda::memory_order order, int* gave_up, int patience) {
    int open = 0;
    while (!lock.compare_exchange_strong(open, 1, order)) {
        open = 0;
        if (--patience > 0) continue;
        atomicAdd(gave_up, 1);
        return false;
    }
    return true;
}
// ANCHOR_END: take

// ANCHOR: ref_rounds
extern "C" __global__ void ref_rounds(int* word, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    InDevice lock(*word);
    for (int round = 0; round < rounds && take(lock, cuda::memory_order_acquire, gave_up, patience); round++) {
        *count += 1;
        lock.store(0, cuda::memory_order_release);
    }
}
// ANCHOR_END: ref_rounds

// ANCHOR: ref_rounds_default
extern "C" __global__ void ref_rounds_default(int* word, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    InDevice lock(*word);
    for (int round = 0; round < rounds && take(lock, cuda::memory_order_seq_cst, gave_up, patience); round++) {
        *count += 1;
        lock.store(0);
    }
}
// ANCHOR_END: ref_rounds_default

// ANCHOR: ref_rounds_relaxed
extern "C" __global__ void ref_rounds_relaxed(int* word, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    InDevice lock(*word);
    for (int round = 0; round < rounds && take(lock, cuda::memory_order_relaxed, gave_up, patience); round++) {
        *count += 1;  // race
        lock.store(0, cuda::memory_order_relaxed);
    }
}
// ANCHOR_END: ref_rounds_relaxed

// ANCHOR: ref_rounds_release
extern "C" __global__ void ref_rounds_release(int* word, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    InDevice lock(*word);
    for (int round = 0; round < rounds && take(lock, cuda::memory_order_relaxed, gave_up, patience); round++) {
        *count += 1;  // race
        lock.store(0, cuda::memory_order_release);
    }
}
// ANCHOR_END: ref_rounds_release

// ANCHOR: ref_rounds_acquire
extern "C" __global__ void ref_rounds_acquire(int* word, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    InDevice lock(*word);
    for (int round = 0; round < rounds && take(lock, cuda::memory_order_acquire, gave_up, patience); round++) {
        *count += 1;  // race
        lock.store(0, cuda::memory_order_relaxed);
    }
}
// ANCHOR_END: ref_rounds_acquire

// ANCHOR: ref_rounds_block_scope
extern "C" __global__ void ref_rounds_block_scope(int* word, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    InBlock lock(*word);
    for (int round = 0; round < rounds && take(lock, cuda::memory_order_acquire, gave_up, patience); round++) {  // race
        *count += 1;                                // race
        lock.store(0, cuda::memory_order_release);  // race
    }
}
// ANCHOR_END: ref_rounds_block_scope

__device__ bool served(InDevice serving, int ticket, cuda::memory_order order, int* gave_up, int patience) {
    while (serving.load(order) != ticket) {
        if (--patience > 0) continue;
        atomicAdd(gave_up, 1);
        return false;
    }
    return true;
}

// ANCHOR: ref_ticket
extern "C" __global__ void ref_ticket(int* words, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    InDevice next(words[0]), serving(words[1]);
    for (int round = 0; round < rounds; round++) {
        int ticket = next.fetch_add(1, cuda::memory_order_relaxed);
        if (!served(serving, ticket, cuda::memory_order_acquire, gave_up, patience)) return;
        *count += 1;
        serving.store(ticket + 1, cuda::memory_order_release);
    }
}
// ANCHOR_END: ref_ticket

// ANCHOR: ref_ticket_relaxed
extern "C" __global__ void ref_ticket_relaxed(int* words, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    InDevice next(words[0]), serving(words[1]);
    for (int round = 0; round < rounds; round++) {
        int ticket = next.fetch_add(1, cuda::memory_order_relaxed);
        if (!served(serving, ticket, cuda::memory_order_relaxed, gave_up, patience)) return;
        *count += 1;  // race
        serving.store(ticket + 1, cuda::memory_order_relaxed);
    }
}
// ANCHOR_END: ref_ticket_relaxed

__device__ bool try_once(InDevice lock) {
    int open = 0;
    return lock.compare_exchange_strong(open, 1, cuda::memory_order_acquire);
}

// ANCHOR: wait_spin
extern "C" __global__ void wait_spin(int* word, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    InDevice lock(*word);
    for (int round = 0; round < rounds; round++) {
        while (!try_once(lock)) {
            if (--patience > 0) continue;
            atomicAdd(gave_up, 1);
            return;
        }
        *count += 1;
        lock.store(0, cuda::memory_order_release);
    }
}
// ANCHOR_END: wait_spin

// ANCHOR: wait_look
extern "C" __global__ void wait_look(int* word, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    InDevice lock(*word);
    for (int round = 0; round < rounds; round++) {
        while (lock.load(cuda::memory_order_relaxed) != 0 || !try_once(lock)) {
            if (--patience > 0) continue;
            atomicAdd(gave_up, 1);
            return;
        }
        *count += 1;
        lock.store(0, cuda::memory_order_release);
    }
}
// ANCHOR_END: wait_look

// ANCHOR: wait_doubling
constexpr unsigned SHORTEST_NS = 32, LONGEST_NS = 4096;

extern "C" __global__ void wait_doubling(int* word, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    InDevice lock(*word);
    for (int round = 0; round < rounds; round++) {
        for (unsigned sleep = SHORTEST_NS; !try_once(lock); sleep = min(2 * sleep, LONGEST_NS)) {
            __nanosleep(sleep);
            if (--patience > 0) continue;
            atomicAdd(gave_up, 1);
            return;
        }
        *count += 1;
        lock.store(0, cuda::memory_order_release);
    }
}
// ANCHOR_END: wait_doubling

// ANCHOR: wait_long
extern "C" __global__ void wait_long(int* word, int* count, int* gave_up, int rounds, int patience) {
    if (threadIdx.x != 0) return;
    InDevice lock(*word);
    for (int round = 0; round < rounds; round++) {
        while (!try_once(lock)) {
            __nanosleep(LONGEST_NS);
            if (--patience > 0) continue;
            atomicAdd(gave_up, 1);
            return;
        }
        *count += 1;
        lock.store(0, cuda::memory_order_release);
    }
}
// ANCHOR_END: wait_long

// ANCHOR: add
extern "C" __global__ void add_built_in(int* counter, int cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counter[i % cells], 1);
}

extern "C" __global__ void add_relaxed(int* counter, int cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    InDevice(counter[i % cells]).fetch_add(1, cuda::memory_order_relaxed);
}

extern "C" __global__ void add_default(int* counter, int cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    InDevice(counter[i % cells]).fetch_add(1);
}
// ANCHOR_END: add
