// Forward progress: what a lane may expect of the other lanes of its warp while it waits for one of them.
//
//   lock_after      Every lane takes a lock in a loop, and uses and releases it after the loop. The owner has left the
//                   loop; if the warp continues only when all lanes have left it, the lock is never released.
//   lock_inside     Repairs this without relying on any scheduling: the lock is released before the iteration ends.
//   chain_after     Lane i waits for lane i - 1 and then frees lane i + 1, after the loop: the same problem, 31 times.
//   one_produces    One lane raises a flag that the others wait for, on the two sides of a branch. Unless both sides
//                   get their turns, the result depends on which one runs first.
//   handshake       Each half of the warp raises a flag and waits for the flag of the other half. If one side of a
//                   branch runs to its end before the other begins, the first, whichever it is, never sees its flag.
//
// Every loop gives up after `patience` iterations, so that no launch can hang; through[lane] is 1 for a lane that got
// what it waited for, and 0 for one that gave up. Built for sm_60, a warp has one program counter, so in lock_after
// and chain_after all lanes but one give up, and in handshake one half does. Built for sm_70, each lane has a program
// counter of its own, and all get through.
//
// Launch: one block of 32 threads. Preconditions: `lock`, `count` and `flag` (two words) are zero; `cell` has 33 words,
// the first 1 and the others 0; `through` has 32 words; patience > 0, and large enough for 32 lanes to get their turns.
//
// In PTX, handshake has two loops because one of them uses an atomic; the compiler would merge two loops with the same
// text on the two sides of a branch. After each loop all lanes continue, whether or not they got what they waited for:
// with an `if` there, the compiler would let the lanes that succeeded jump past the end of the loop.
//
// builds: sm_70, sm_60

// ANCHOR: lock_after
extern "C" __global__ void lock_after(int* lock, volatile int* count, int* through, int patience) {
    int left = patience;
    while (atomicCAS(lock, 0, 1) != 0 && left > 0) left--;

    *count = *count + 1;
    __threadfence();
    atomicExch(lock, 0);
    through[threadIdx.x] = left > 0;
}
// ANCHOR_END: lock_after

// ANCHOR: lock_inside
extern "C" __global__ void lock_inside(int* lock, volatile int* count, int* through, int patience) {
    int left = patience;
    bool done = false;
    while (!done && left > 0) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *count = *count + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        } else {
            left--;
        }
    }
    through[threadIdx.x] = done;
}
// ANCHOR_END: lock_inside

// ANCHOR: chain_after
extern "C" __global__ void chain_after(volatile int* cell, int* through, int patience) {
    int lane = threadIdx.x, left = patience;
    while (cell[lane] == 0 && left > 0) left--;

    cell[lane + 1] = 1;
    through[lane] = left > 0;
}
// ANCHOR_END: chain_after

// ANCHOR: one_produces
extern "C" __global__ void one_produces(volatile int* flag, int* through, int producer, int patience) {
    int lane = threadIdx.x, left = patience;
    if (lane == producer) {
        *flag = 1;
    } else {
        while (*flag == 0 && left > 0) left--;
    }
    through[lane] = left > 0;
}
// ANCHOR_END: one_produces

// ANCHOR: handshake
extern "C" __global__ void handshake(int* flag, int* through, int patience) {
    int lane = threadIdx.x, left = patience;
    volatile int* seen = flag;
    if (lane < 16) {
        seen[0] = 1;
        while (seen[1] == 0 && left > 0) left--;
    } else {
        seen[1] = 1;
        while (atomicAdd(&flag[0], 0) == 0 && left > 0) left--;
    }
    through[lane] = left > 0;
}
// ANCHOR_END: handshake
