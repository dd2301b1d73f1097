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
    while (atomicCAS(&lock[bucket], 0, 1) != 0 && tries > 0) tries--;

    __threadfence();
    product[bucket] = product[bucket] * x[threadIdx.x];
    __threadfence();
    atomicExch(&lock[bucket], 0);
    if (tries == 0) atomicAdd(gave_up, 1);
}
