// A tour on which some drop out.
//
// Thread t walks stages[t] stages, with its load[t] on its back. At the end of
// each stage, all who have walked it meet, and each notes what they carried
// together. noted[t] becomes the sum of the notes of thread t. No tour has more
// than 16 stages. Built for sm_80.
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

// A barrier needs no constructor here, because `init` makes it.
#pragma nv_diag_suppress static_var_with_dynamic_init

extern "C" __global__ void leavers(const int* stages, const int* load,
                                   int* noted) {
    __shared__ Barrier hut;
    __shared__ int carried[16];
    int t = threadIdx.x;
    if (t == 0) init(&hut, blockDim.x);
    for (int stage = t; stage < 16; stage += blockDim.x) carried[stage] = 0;
    __syncthreads();

    int sum = 0;
    for (int stage = 0; stage < stages[t]; stage++) {
        atomicAdd(&carried[stage], load[t]);
        hut.arrive_and_wait();
        sum += carried[stage];
    }
    noted[t] = sum;
}
