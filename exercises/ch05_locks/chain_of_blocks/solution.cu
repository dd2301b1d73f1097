// A sum that is passed on from block to block: block b waits until block b - 1
// has raised its flag, adds its own number to the sum of that block, leaves the
// result for the next block, and raises a flag of its own.
//
// flag is zero before. Blocks have 32 threads, of which one works. A block that
// has not seen the flag after `patience` looks gives up.
extern "C" __global__ void chain_of_blocks(const int* x, int* sum,
                                           volatile int* flag, int patience) {
    if (threadIdx.x != 0) return;
    int block = blockIdx.x;
//= solution
//= starter
//= wrong volatile_sums
//    volatile int* handed = sum;
//= end
    int before = 0;
    if (block > 0) {
//= solution
        while (flag[block - 1] == 0) {
//= wrong atomic_sums
//        while (atomicAdd((int*)&flag[block - 1], 0) == 0) {
//= end
            if (--patience == 0) return;
        }
//= solution
        __threadfence();
        before = sum[block - 1];
//= starter
//        before = sum[block - 1];
//= wrong no_fence
//        before = sum[block - 1];
//= wrong fence_of_the_reader
//        __threadfence();
//        before = sum[block - 1];
//= wrong fences_of_the_block
//        __threadfence_block();
//        before = sum[block - 1];
//= wrong volatile_sums
//        before = handed[block - 1];
//= wrong atomic_sums
//        before = atomicAdd(&sum[block - 1], 0);
//= wrong fence_too_late
//        before = sum[block - 1];
//        __threadfence();
//= end
    }
//= solution
    sum[block] = before + x[block];
    __threadfence();
//= starter
//    sum[block] = before + x[block];
//    __threadfence();
//= wrong no_fence
//    sum[block] = before + x[block];
//= wrong fence_of_the_reader
//    sum[block] = before + x[block];
//= wrong fences_of_the_block
//    sum[block] = before + x[block];
//    __threadfence_block();
//= wrong volatile_sums
//    handed[block] = before + x[block];
//= wrong atomic_sums
//    atomicExch(&sum[block], before + x[block]);
//= end
//= solution
    flag[block] = 1;
//= wrong atomic_sums
//    atomicExch((int*)&flag[block], 1);
//= end
}
