// A row of lamps: in every round, a lamp is on afterwards if exactly one of its
// two neighbours was on before. Beyond both ends of a row it is dark.
//
// Each block has a row, and each thread has a lamp. x and y hold the rows one
// after another, with 1 for a lamp that is on and 0 for one that is off.
// The launch provides shared memory for one int per thread.

extern "C" __global__ void half_the_memory(const int* x, int* y, int rounds) {
    extern __shared__ int lamps[];
    int t = threadIdx.x, threads = blockDim.x;
    int i = blockIdx.x * threads + t;

//= solution
    lamps[t] = x[i];
    __syncthreads();
    for (int round = 0; round < rounds; round++) {
        int left = t > 0 ? lamps[t - 1] : 0;
        int right = t + 1 < threads ? lamps[t + 1] : 0;
        __syncthreads();
        lamps[t] = left ^ right;
        __syncthreads();
    }
    y[i] = lamps[t];
//= starter
//    int* now = lamps;
//    int* then = lamps + threads;
//    now[t] = x[i];
//    __syncthreads();
//    for (int round = 0; round < rounds; round++) {
//        int left = t > 0 ? now[t - 1] : 0;
//        int right = t + 1 < threads ? now[t + 1] : 0;
//        then[t] = left ^ right;
//        __syncthreads();
//        int* other = now;
//        now = then;
//        then = other;
//    }
//    y[i] = now[t];
//= wrong one_barrier
//    lamps[t] = x[i];
//    __syncthreads();
//    for (int round = 0; round < rounds; round++) {
//        int left = t > 0 ? lamps[t - 1] : 0;
//        int right = t + 1 < threads ? lamps[t + 1] : 0;
//        lamps[t] = left ^ right;
//        __syncthreads();
//    }
//    y[i] = lamps[t];
//= wrong no_barrier_after
//    lamps[t] = x[i];
//    __syncthreads();
//    for (int round = 0; round < rounds; round++) {
//        int left = t > 0 ? lamps[t - 1] : 0;
//        int right = t + 1 < threads ? lamps[t + 1] : 0;
//        __syncthreads();
//        lamps[t] = left ^ right;
//    }
//    y[i] = lamps[t];
//= wrong barriers_of_warps
//    lamps[t] = x[i];
//    __syncthreads();
//    for (int round = 0; round < rounds; round++) {
//        int left = t > 0 ? lamps[t - 1] : 0;
//        int right = t + 1 < threads ? lamps[t + 1] : 0;
//        __syncwarp();
//        lamps[t] = left ^ right;
//        __syncwarp();
//    }
//    y[i] = lamps[t];
//= wrong round_the_corner
//    lamps[t] = x[i];
//    __syncthreads();
//    for (int round = 0; round < rounds; round++) {
//        int left = lamps[(t + threads - 1) % threads];
//        int right = lamps[(t + 1) % threads];
//        __syncthreads();
//        lamps[t] = left ^ right;
//        __syncthreads();
//    }
//    y[i] = lamps[t];
//= wrong in_global_memory
//    y[i] = x[i];
//    __syncthreads();
//    for (int round = 0; round < rounds; round++) {
//        int left = t > 0 ? y[i - 1] : 0;
//        int right = t + 1 < threads ? y[i + 1] : 0;
//        __syncthreads();
//        y[i] = left ^ right;
//        __syncthreads();
//    }
//= end
}
