// Benchmarks of the emulator: one kernel for each thing that decides its speed. (saxpy, for memory, is one more.)
//
//   bench_divergent  Lanes leave a loop one by one, so the emulator splits and joins warps all the time.
//   bench_shared     A tree of sums in shared memory, with barriers, and with warps that become idle.
//   bench_tree       A tree of sums in place in global memory, by halves: many accesses, to memory that threads share.
//   bench_shuffle    Sums in registers, in which every lane reads registers of other lanes.
//
// Launch: one-dimensional. bench_divergent, one thread for each element; bench_shared and bench_shuffle, blocks of 256
// and a grid that covers n; bench_tree, blocks of 1024, with n a multiple of 1024.
// Preconditions: x has n elements, and so has steps; sums has one for each block (bench_shared,
// bench_tree) or warp (bench_shuffle).
//
// builds: sm_70, sm_60

// The number of steps until a value reaches 1, if each step halves an even value, and triples an odd one and adds
// one; at most limit.
extern "C" __global__ void bench_divergent(const unsigned* x, unsigned* steps, unsigned limit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned value = x[i], count = 0;
    while (value > 1 && count < limit) {
        if (value % 2 == 0) {
            value /= 2;
        } else {
            value = 3 * value + 1;
        }
        count++;
    }
    steps[i] = count;
}

extern "C" __global__ void bench_shared(const int* x, int* sums, int n) {
    __shared__ int part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();

    for (int stride = 128; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            part[threadIdx.x] += part[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = part[0];
    }
}

extern "C" __global__ void bench_tree(int* x, int* sums, int n) {
    int* part = x + blockIdx.x * blockDim.x;
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            part[threadIdx.x] += part[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = part[0];
    }
}

extern "C" __global__ void bench_shuffle(const int* x, int* sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? x[i] : 0;
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffff, value, offset);
    }
    if (i % 32 == 0) {
        sums[i / 32] = value;
    }
}
