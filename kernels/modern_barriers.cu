// Handshakes inside a block with `cuda::barrier`, which separates arriving from waiting.
//
//   turn_syncthreads   In each round every thread reads a value of the next warp; two barriers, and work after the first.
//   turn_barrier       The same with arrive_and_wait of a cuda::barrier.
//   turn_split         The same with arrive before the work and wait after it.
//   relay              Warp 0 makes values and the others add them up. Only the side that needs the other one waits.
//   relay_one_barrier  The same with one barrier for each round: the maker may overwrite values that are being read.
//   hand_on            Every thread reads one value of the next warp: it arrives and waits.
//   hand_on_no_wait    It arrives and does not wait.
//   hand_on_half       The barrier expects half of the threads that arrive, so it opens too early.
//   hand_on_extra      The barrier expects one thread more than there are, so it never opens; for the emulator alone.
//
// Launch: any grid of blocks of two or more whole warps. hand_on_extra waits without a bound, like every barrier that
// somebody does not come to.
// Preconditions: x and y hold an element for each thread; of relay* only y does.
// A line that is part of a race says so at its end.
// For sm_70 a barrier is a word with atomics, for sm_80 an mbarrier that is polled, for sm_90 one that can suspend a thread.
//
// builds: sm_80, sm_70, sm_90

#include <cuda/barrier>
#include <cuda/std/utility>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int MOST_THREADS = 1024;

// A barrier needs no constructor here, because `init` makes it.
#pragma nv_diag_suppress static_var_with_dynamic_init

__device__ void start(Barrier& barrier, int threads) {
    if (threadIdx.x == 0) init(&barrier, threads);
    __syncthreads();
}

__device__ unsigned work(unsigned value) {
    for (int step = 0; step < 8; step++) value = value * 1664525 + 1013904223;
    return value;
}

// ANCHOR: turn_syncthreads
extern "C" __global__ void turn_syncthreads(const unsigned* x, unsigned* y, int rounds) {
    __shared__ unsigned values[MOST_THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = x[i];
    for (int round = 0; round < rounds; round++) {
        values[threadIdx.x] = value;
        __syncthreads();
        unsigned own = work(value);
        value = own + values[(threadIdx.x + 32) % blockDim.x];
        __syncthreads();
    }
    y[i] = value;
}
// ANCHOR_END: turn_syncthreads

// ANCHOR: turn_barrier
extern "C" __global__ void turn_barrier(const unsigned* x, unsigned* y, int rounds) {
    __shared__ Barrier barrier;
    __shared__ unsigned values[MOST_THREADS];
    start(barrier, blockDim.x);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = x[i];
    for (int round = 0; round < rounds; round++) {
        values[threadIdx.x] = value;
        barrier.arrive_and_wait();
        unsigned own = work(value);
        value = own + values[(threadIdx.x + 32) % blockDim.x];
        barrier.arrive_and_wait();
    }
    y[i] = value;
}
// ANCHOR_END: turn_barrier

// ANCHOR: turn_split
extern "C" __global__ void turn_split(const unsigned* x, unsigned* y, int rounds) {
    __shared__ Barrier barrier;
    __shared__ unsigned values[MOST_THREADS];
    start(barrier, blockDim.x);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = x[i];
    for (int round = 0; round < rounds; round++) {
        values[threadIdx.x] = value;
        Barrier::arrival_token token = barrier.arrive();
        unsigned own = work(value);
        barrier.wait(cuda::std::move(token));
        value = own + values[(threadIdx.x + 32) % blockDim.x];
        barrier.arrive_and_wait();
    }
    y[i] = value;
}
// ANCHOR_END: turn_split

// ANCHOR: relay
extern "C" __global__ void relay(unsigned* y, int rounds) {
    __shared__ Barrier full, empty;
    __shared__ unsigned values[32];
    start(full, blockDim.x);
    start(empty, blockDim.x);
    int lane = threadIdx.x % 32;
    unsigned sum = 0;
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x < 32) {
            empty.arrive_and_wait();
            values[lane] = round * 32 + lane;
            (void)full.arrive();
        } else {
            (void)empty.arrive();
            full.arrive_and_wait();
            sum += values[31 - lane];
        }
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// ANCHOR_END: relay

// ANCHOR: relay_one_barrier
extern "C" __global__ void relay_one_barrier(unsigned* y, int rounds) {
    __shared__ Barrier full;
    __shared__ unsigned values[32];
    start(full, blockDim.x);
    int lane = threadIdx.x % 32;
    unsigned sum = 0;
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x < 32) {
            values[lane] = round * 32 + lane;  // race
            full.arrive_and_wait();
        } else {
            full.arrive_and_wait();
            sum += values[31 - lane];  // race
        }
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// ANCHOR_END: relay_one_barrier

// ANCHOR: hand_on
extern "C" __global__ void hand_on(const unsigned* x, unsigned* y) {
    __shared__ Barrier barrier;
    __shared__ unsigned values[MOST_THREADS];
    start(barrier, blockDim.x);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = x[i];
    barrier.wait(barrier.arrive());
    y[i] = values[(threadIdx.x + 32) % blockDim.x];
}
// ANCHOR_END: hand_on

// ANCHOR: hand_on_no_wait
extern "C" __global__ void hand_on_no_wait(const unsigned* x, unsigned* y) {
    __shared__ Barrier barrier;
    __shared__ unsigned values[MOST_THREADS];
    start(barrier, blockDim.x);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = x[i];  // race
    (void)barrier.arrive();
    y[i] = values[(threadIdx.x + 32) % blockDim.x];  // race
}
// ANCHOR_END: hand_on_no_wait

// ANCHOR: hand_on_half
extern "C" __global__ void hand_on_half(const unsigned* x, unsigned* y) {
    __shared__ Barrier barrier;
    __shared__ unsigned values[MOST_THREADS];
    start(barrier, blockDim.x / 2);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = x[i];  // race
    barrier.wait(barrier.arrive());
    y[i] = values[(threadIdx.x + 32) % blockDim.x];  // race
}
// ANCHOR_END: hand_on_half

// ANCHOR: hand_on_extra
extern "C" __global__ void hand_on_extra(const unsigned* x, unsigned* y) {
    __shared__ Barrier barrier;
    __shared__ unsigned values[MOST_THREADS];
    start(barrier, blockDim.x + 1);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = x[i];
    barrier.wait(barrier.arrive());
    y[i] = values[(threadIdx.x + 32) % blockDim.x];
}
// ANCHOR_END: hand_on_extra
