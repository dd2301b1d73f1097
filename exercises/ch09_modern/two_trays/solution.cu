// A kitchen: warp 0 cooks, and the other warps eat.
//
// In each round warp 0 puts 32 dishes on a tray, and every other thread takes
// the dish of its lane. Dish d of round r is menu[32 * r + d]. eaten[t] becomes
// the sum of the dishes of thread t; warp 0 eats nothing, and its words stay as
// they are. The block has two or more warps. Built for sm_80.
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

// A barrier needs no constructor here, because `init` makes it.
#pragma nv_diag_suppress static_var_with_dynamic_init

extern "C" __global__ void two_trays(const int* menu, int* eaten, int rounds) {
    __shared__ Barrier full;
    if (threadIdx.x == 0) init(&full, blockDim.x);
    __syncthreads();
    int lane = threadIdx.x % 32, sum = 0;

//= solution
    __shared__ int tray[2][32];
    for (int round = 0; round < rounds; round++) {
        int* dishes = tray[round % 2];
        if (threadIdx.x < 32) dishes[lane] = menu[32 * round + lane];
        full.arrive_and_wait();
        if (threadIdx.x >= 32) sum += dishes[lane];
    }
//= starter
//    __shared__ int tray[32];
//    for (int round = 0; round < rounds; round++) {
//        if (threadIdx.x < 32) tray[lane] = menu[32 * round + lane];
//        full.arrive_and_wait();
//        if (threadIdx.x >= 32) sum += tray[lane];
//    }
//= wrong volatile_tray
//    __shared__ volatile int tray[32];
//    for (int round = 0; round < rounds; round++) {
//        if (threadIdx.x < 32) tray[lane] = menu[32 * round + lane];
//        full.arrive_and_wait();
//        if (threadIdx.x >= 32) sum += tray[lane];
//    }
//= wrong guests_do_not_wait
//    __shared__ int tray[2][32];
//    for (int round = 0; round < rounds; round++) {
//        int* dishes = tray[round % 2];
//        if (threadIdx.x < 32) {
//            dishes[lane] = menu[32 * round + lane];
//            full.arrive_and_wait();
//        } else {
//            (void)full.arrive();
//            sum += dishes[lane];
//        }
//    }
//= wrong tray_of_the_last_round
//    __shared__ int tray[2][32];
//    for (int round = 0; round < rounds; round++) {
//        if (threadIdx.x < 32) tray[round % 2][lane] = menu[32 * round + lane];
//        full.arrive_and_wait();
//        if (threadIdx.x >= 32 && round > 0) sum += tray[(round + 1) % 2][lane];
//    }
//= wrong a_tray_for_each_half
//    __shared__ int tray[2][32];
//    int half = lane / 16;
//    for (int round = 0; round < rounds; round++) {
//        if (threadIdx.x < 32) tray[half][lane] = menu[32 * round + lane];
//        full.arrive_and_wait();
//        if (threadIdx.x >= 32) sum += tray[half][lane];
//    }
//= end

    if (threadIdx.x >= 32) eaten[threadIdx.x] = sum;
}
