// The product of the numbers in each of four buckets. There is no atomic that
// multiplies, so each bucket has a lock, which is zero while it is free. In one
// of the tests all locks are taken and never given back.
//
// The kernel is built for sm_60: a warp has one program counter. gave_up is
// zero before, product is one. Blocks have one to three warps, and all blocks
// work on the same numbers. gave_up counts the lanes that have tried `patience`
// times without success.
extern "C" __global__ void bucket_locks(const int* x, int* lock,
                                        volatile int* product, int* gave_up,
                                        int patience) {
    int bucket = threadIdx.x % 4;
    int tries = patience;
//= solution
    bool done = false;
    while (!done && tries-- > 0) {
        if (atomicCAS(&lock[bucket], 0, 1) == 0) {
            __threadfence();
            product[bucket] = product[bucket] * x[threadIdx.x];
            __threadfence();
            atomicExch(&lock[bucket], 0);
            done = true;
        }
    }
    if (!done) atomicAdd(gave_up, 1);
//= starter
//    while (atomicCAS(&lock[bucket], 0, 1) != 0 && tries > 0) tries--;
//
//    __threadfence();
//    product[bucket] = product[bucket] * x[threadIdx.x];
//    __threadfence();
//    atomicExch(&lock[bucket], 0);
//    if (tries == 0) atomicAdd(gave_up, 1);
//= wrong freed_behind
//    bool done = false;
//    while (!done && tries-- > 0) {
//        done = atomicCAS(&lock[bucket], 0, 1) == 0;
//        if (done) {
//            __threadfence();
//            product[bucket] = product[bucket] * x[threadIdx.x];
//            __threadfence();
//        }
//    }
//    if (done) atomicExch(&lock[bucket], 0);
//    if (!done) atomicAdd(gave_up, 1);
//= wrong freed_by_all
//    bool done = false;
//    while (!done && tries-- > 0) {
//        if (atomicCAS(&lock[bucket], 0, 1) == 0) {
//            __threadfence();
//            product[bucket] = product[bucket] * x[threadIdx.x];
//            done = true;
//        }
//        __threadfence();
//        atomicExch(&lock[bucket], 0);
//    }
//    if (!done) atomicAdd(gave_up, 1);
//= wrong leaves_the_loop
//    while (tries-- > 0) {
//        if (atomicCAS(&lock[bucket], 0, 1) == 0) {
//            __threadfence();
//            product[bucket] = product[bucket] * x[threadIdx.x];
//            __threadfence();
//            atomicExch(&lock[bucket], 0);
//            return;
//        }
//    }
//    atomicAdd(gave_up, 1);
//= wrong no_fences
//    bool done = false;
//    while (!done && tries-- > 0) {
//        if (atomicCAS(&lock[bucket], 0, 1) == 0) {
//            product[bucket] = product[bucket] * x[threadIdx.x];
//            atomicExch(&lock[bucket], 0);
//            done = true;
//        }
//    }
//    if (!done) atomicAdd(gave_up, 1);
//= wrong no_lock
//    product[bucket] = product[bucket] * x[threadIdx.x];
//= end
}
