// Forward progress: what a lane may expect of the other lanes of its warp while it waits for one of them.
//
//   lock_behind     Every lane takes a lock by a loop, and what the lock is for stands behind the loop. Who has the lock
//                   has left the loop; where the warp goes on only when all have left it, nobody ever gets it back.
//   lock_inside     Mends it without a promise by anybody: the lock is given back before the turn of the loop ends.
//   chain_behind    Lane i waits for lane i - 1 and then frees lane i + 1, behind the loop: the same trouble, 31 times.
//   one_produces    One lane raises a flag that the others wait for, on the two sides of a branch: it depends on which
//                   side runs first, unless both may.
//   handshake       Each half of the warp raises a flag and waits for the flag of the other half. Where one side of a
//                   branch runs to its end before the other begins, the first waits in vain, whichever it is.
//
// Every loop gives up after so many turns as `patience` says, so that no launch can hang; through[lane] is 1 for a lane
// that got what it waited for, 0 for one that gave up. Built for sm_60 a warp has one program counter, so the lanes
// of lock_behind and chain_behind give up, all but one, as does one half of handshake; built for sm_70 each lane has its
// own, and all get through.
//
// Launch: one block of 32 threads. Preconditions: `lock`, `count` and `flag` (two words) are zero; `cell` has 33 words,
// the first 1 and the others 0; `through` has 32 words; patience > 0, and large enough for 32 lanes to have their turn.
//
// In PTX the two loops of handshake are two, because one asks by an atomic; loops of the same text on two sides of a
// branch are made one by the compiler. Behind each loop goes on everybody, whether or not the wait was worth it: were
// there an if, the compiler would lead those who succeeded past the end of the loop.
//
// builds: sm_70, sm_60

// ANCHOR: lock_behind
extern "C" __global__ void lock_behind(int* lock, volatile int* count, int* through, int patience) {
    int left = patience;
    while (atomicCAS(lock, 0, 1) != 0 && left > 0) left--;

    *count = *count + 1;
    __threadfence();
    atomicExch(lock, 0);
    through[threadIdx.x] = left > 0;
}
// ANCHOR_END: lock_behind

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

// ANCHOR: chain_behind
extern "C" __global__ void chain_behind(volatile int* cell, int* through, int patience) {
    int lane = threadIdx.x, left = patience;
    while (cell[lane] == 0 && left > 0) left--;

    cell[lane + 1] = 1;
    through[lane] = left > 0;
}
// ANCHOR_END: chain_behind

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
