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
    bool done = i >= n;
    while (!done && patience-- > 0) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            enter(top, x[i]);
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
    if (!done) atomicAdd(gave_up, 1);
}
