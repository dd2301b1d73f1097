// Two blocks meet at a door: blocks 0 and 1 at door 0, blocks 2 and 3 at door
// 1, and so on. Each block raises its flag and then looks at the other's flag.
// If that flag is down, the block goes through. It may happen that neither
// goes, but never both.
//
// flag has a word for each block, gone and crashes one for each door, all zero
// before. Blocks have 32 threads, of which one works.
extern "C" __global__ void after_you(volatile int* flag, int* gone,
                                     int* crashes) {
    if (threadIdx.x != 0) return;
    int door = blockIdx.x / 2, other = blockIdx.x ^ 1;
//= solution
    flag[blockIdx.x] = 1;
    __threadfence();
    bool free = flag[other] == 0;
//= starter
//    flag[blockIdx.x] = 1;
//    bool free = flag[other] == 0;
//= wrong fence_in_front
//    __threadfence();
//    flag[blockIdx.x] = 1;
//    bool free = flag[other] == 0;
//= wrong fence_behind
//    flag[blockIdx.x] = 1;
//    bool free = flag[other] == 0;
//    __threadfence();
//= wrong fence_of_the_block
//    flag[blockIdx.x] = 1;
//    __threadfence_block();
//    bool free = flag[other] == 0;
//= wrong two_atomics
//    atomicExch((int*)&flag[blockIdx.x], 1);
//    bool free = atomicAdd((int*)&flag[other], 0) == 0;
//= wrong looks_first
//    bool free = flag[other] == 0;
//    __threadfence();
//    flag[blockIdx.x] = 1;
//= end
    // The second block to go through the same door meets the first one.
    if (free && atomicAdd(&gone[door], 1) == 1) crashes[door] = 1;
}
