// The two greatest of n numbers. Two words change together, so a lock guards
// them, and every thread takes it to enter its own number.
//
// top holds two very small numbers before; lock and gave_up are zero. Blocks
// have 64 threads, and `patience` is how often the lock is tried.
__device__ void enter(int* top, int value) {
    if (value > top[0]) {
        top[1] = top[0];
        top[0] = value;
    } else if (value > top[1]) {
        top[1] = value;
    }
}

extern "C" __global__ void two_greatest(const int* x, int* lock, int* top,
                                        int* gave_up, int n, int patience) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
//= solution
    bool done = i >= n || threadIdx.x % 32 != 0;
//= starter
//    bool done = i >= n;
//= wrong lane_outside
//    bool done = threadIdx.x % 32 != 0;
//= wrong entered_behind
//    bool done = i >= n || threadIdx.x % 32 != 0;
//= end
    while (!done && patience-- > 0) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
//= solution
            for (int j = i; j < i + 32 && j < n; j++) enter(top, x[j]);
//= starter
//            enter(top, x[i]);
//= wrong only_its_own
//            enter(top, x[i]);
//= wrong lane_outside
//            for (int j = i; j < i + 32; j++) enter(top, x[j]);
//= wrong entered_behind
//= end
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
//= solution
//= starter
//= wrong entered_behind
//    __syncwarp();
//    if (i < n) enter(top, x[i]);
//= end
    if (!done) atomicAdd(gave_up, 1);
}
