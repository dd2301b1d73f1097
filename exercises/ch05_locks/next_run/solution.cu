// Scales the runs of a list, each by its own factor. The runs are of very
// different lengths, so the blocks do not share them in advance: a block that
// has nothing to do draws the number of the next run.
//
// x:      the numbers. Run r has those from begin[r] up to but not including
//         begin[r + 1], which may be none at all.
// next:   the number of the run that is drawn next, 0 before. Each block draws
//         until it gets a number of which there is no run, so afterwards next is
//         the number of runs plus the number of blocks.
// Launch: any number of blocks of 64 threads.

extern "C" __global__ void scale_runs(int* x, const int* begin,
                                      const int* factor, int* next, int runs) {
    __shared__ int drawn;

//= solution
    while (true) {
        if (threadIdx.x == 0) drawn = atomicAdd(next, 1);
        __syncthreads();
        int run = drawn;
        if (run >= runs) return;

        for (int i = begin[run] + threadIdx.x; i < begin[run + 1]; i += 64) {
            x[i] *= factor[run];
        }
        __syncthreads();  // all have read drawn
    }
//= starter
//    // TODO: draw a run, let all threads of the block scale it, and so on.
//= wrong shared_in_advance
//    for (int run = blockIdx.x; run < runs; run += gridDim.x) {
//        for (int i = begin[run] + threadIdx.x; i < begin[run + 1]; i += 64) {
//            x[i] *= factor[run];
//        }
//    }
//= wrong every_thread_draws
//    for (;;) {
//        int run = atomicAdd(next, 1);
//        if (run >= runs) return;
//        for (int i = begin[run] + threadIdx.x; i < begin[run + 1]; i += 64) {
//            x[i] *= factor[run];
//        }
//    }
//= wrong one_barrier
//    while (true) {
//        if (threadIdx.x == 0) drawn = atomicAdd(next, 1);
//        __syncthreads();
//        int run = drawn;
//        if (run >= runs) return;
//        for (int i = begin[run] + threadIdx.x; i < begin[run + 1]; i += 64) {
//            x[i] *= factor[run];
//        }
//    }
//= wrong nobody_waits
//    while (true) {
//        if (threadIdx.x == 0) drawn = atomicAdd(next, 1);
//        int run = drawn;
//        if (run >= runs) return;
//        for (int i = begin[run] + threadIdx.x; i < begin[run + 1]; i += 64) {
//            x[i] *= factor[run];
//        }
//        __syncthreads();
//    }
//= wrong plain_counter
//    while (true) {
//        if (threadIdx.x == 0) {
//            drawn = *next;
//            *next = drawn + 1;
//        }
//        __syncthreads();
//        int run = drawn;
//        if (run >= runs) return;
//        for (int i = begin[run] + threadIdx.x; i < begin[run + 1]; i += 64) {
//            x[i] *= factor[run];
//        }
//        __syncthreads();
//    }
//= wrong asks_and_draws
//    while (true) {
//        if (threadIdx.x == 0) {
//            drawn = atomicAdd(next, 0);
//            atomicAdd(next, 1);
//        }
//        __syncthreads();
//        int run = drawn;
//        if (run >= runs) return;
//        for (int i = begin[run] + threadIdx.x; i < begin[run + 1]; i += 64) {
//            x[i] *= factor[run];
//        }
//        __syncthreads();
//    }
//= wrong only_one_thread_ends
//    while (true) {
//        if (threadIdx.x == 0) {
//            drawn = atomicAdd(next, 1);
//            if (drawn >= runs) return;
//        }
//        __syncthreads();
//        int run = drawn;
//        if (run >= runs) return;
//        for (int i = begin[run] + threadIdx.x; i < begin[run + 1]; i += 64) {
//            x[i] *= factor[run];
//        }
//        __syncthreads();
//    }
//= wrong one_thread_works
//    while (threadIdx.x == 0) {
//        int run = atomicAdd(next, 1);
//        if (run >= runs) return;
//        for (int i = begin[run]; i < begin[run + 1]; i++) x[i] *= factor[run];
//    }
//= end
}
