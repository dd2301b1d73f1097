// How often is one of n readings lower than the one before it?
//
// falls is zero before. Launch: four blocks of 64 threads, for any n.

extern "C" __global__ void count_falls(const int* x, int* falls, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int own = 0;

//= solution
    int threads = gridDim.x * blockDim.x;
    for (int i = thread + 1; i < n; i += threads) {
        if (x[i] < x[i - 1]) own += 1;
    }
//= starter
//    // TODO: be right for any n, however few threads there are.
//    int i = thread + 1;
//    if (i < n && x[i] < x[i - 1]) own += 1;
//= wrong a_block_apart
//    for (int i = thread + 1; i < n; i += blockDim.x) {
//        if (x[i] < x[i - 1]) own += 1;
//    }
//= wrong own_stretch
//    int threads = gridDim.x * blockDim.x;
//    int each = (n + threads - 1) / threads;
//    for (int i = thread * each + 1; i <= (thread + 1) * each && i < n; i++) {
//        if (x[i] < x[i - 1]) own += 1;
//    }
//= wrong last_seen
//    int threads = gridDim.x * blockDim.x;
//    int last = thread < n ? x[thread] : 0;
//    for (int i = thread + threads; i < n; i += threads) {
//        if (x[i] < last) own += 1;
//        last = x[i];
//    }
//= wrong first_too
//    int threads = gridDim.x * blockDim.x;
//    for (int i = thread; i < n; i += threads) {
//        if (x[i] < x[i - 1]) own += 1;
//    }
//= end

    atomicAdd(falls, own);
}
