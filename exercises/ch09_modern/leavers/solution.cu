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
//= solution
        hut.arrive_and_wait();
        sum += carried[stage];
    }
    hut.arrive_and_drop();
//= starter
//        hut.arrive_and_wait();
//        sum += carried[stage];
//    }
//= wrong arrives_once_more
//        hut.arrive_and_wait();
//        sum += carried[stage];
//    }
//    (void)hut.arrive();
//= wrong drops_at_the_last_hut
//        if (stage + 1 < stages[t]) hut.arrive_and_wait();
//        else hut.arrive_and_drop();
//        sum += carried[stage];
//    }
//    if (stages[t] == 0) hut.arrive_and_drop();
//= wrong drops_and_arrives
//        hut.arrive_and_wait();
//        sum += carried[stage];
//    }
//    (void)hut.arrive();
//    hut.arrive_and_drop();
//= wrong does_not_wait
//        (void)hut.arrive();
//        sum += carried[stage];
//    }
//    hut.arrive_and_drop();
//= wrong barrier_of_the_block
//        __syncthreads();
//        sum += carried[stage];
//    }
//= end
    noted[t] = sum;
}
