// The product of the numbers in each of four buckets. There is no atomic that
// multiplies, so each bucket has a lock, which is zero while it is free. Now and
// then somebody has all of them and never gives them back.
//
// The kernel is built for sm_60: a warp has one program counter. gave_up is zero
// before, product is one. Blocks of one to three warps, each
// with the same numbers; gave_up counts the lanes that have tried `patience`
// times in vain.
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
