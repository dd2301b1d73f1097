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

    __shared__ int tray[32];
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x < 32) tray[lane] = menu[32 * round + lane];
        full.arrive_and_wait();
        if (threadIdx.x >= 32) sum += tray[lane];
    }

    if (threadIdx.x >= 32) eaten[threadIdx.x] = sum;
}
