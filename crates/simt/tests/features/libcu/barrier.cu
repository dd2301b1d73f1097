// `cuda::barrier` of a block: a word of its own and atomics for sm_70, `mbarrier` from sm_80 on, and `try_wait` for sm_90.
// builds: sm_70, sm_80, sm_90

#include <cuda/barrier>
#include <cuda/std/utility>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

#pragma nv_diag_suppress static_var_with_dynamic_init

// A barrier for all threads of the block.
__device__ void start(Barrier& barrier) {
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
}

// Each thread adds its neighbour's value to its own, again and again.
extern "C" __global__ void barrier_rounds(unsigned* out, int rounds) {
    __shared__ Barrier barrier;
    __shared__ unsigned values[128];
    start(barrier);
    unsigned value = threadIdx.x;
    for (int round = 0; round < rounds; round += 1) {
        values[threadIdx.x] = value;
        barrier.arrive_and_wait();
        value += values[(threadIdx.x + 1) % blockDim.x];
        barrier.arrive_and_wait();
    }
    out[threadIdx.x] = value;
}

// Arrives, does something else, and waits. Then the first warp leaves, and the others go on without it.
extern "C" __global__ void barrier_split(unsigned* out) {
    __shared__ Barrier barrier;
    __shared__ unsigned values[128];
    start(barrier);
    values[threadIdx.x] = threadIdx.x;
    auto token = barrier.arrive();
    unsigned own = 3 * threadIdx.x;
    barrier.wait(cuda::std::move(token));
    unsigned next = values[(threadIdx.x + 1) % blockDim.x];
    out[threadIdx.x] = own + next;
    if (threadIdx.x < 32) {
        barrier.arrive_and_drop();
        return;
    }
    barrier.arrive_and_wait();
    values[threadIdx.x] = own;
    barrier.arrive_and_wait();
    if (threadIdx.x > 32) out[threadIdx.x] += values[threadIdx.x - 1];
}

// Waits by parity. A barrier that one warp arrives at and the other waits for hands over what the first has written.
extern "C" __global__ void barrier_parity(unsigned* out, int rounds) {
    __shared__ Barrier full, empty;
    __shared__ unsigned values[32];
    if (threadIdx.x == 0) {
        init(&full, 32);
        init(&empty, 32);
    }
    __syncthreads();
    int lane = threadIdx.x % 32;
    unsigned sum = 0;
    for (int round = 0; round < rounds; round += 1) {
        bool odd = round % 2;
        if (threadIdx.x < 32) {
            if (round > 0) empty.wait_parity(!odd);
            values[lane] = round * 100 + lane;
            (void)full.arrive();
        } else {
            full.wait_parity(odd);
            sum += values[31 - lane];
            (void)empty.arrive();
        }
    }
    if (threadIdx.x >= 32) out[lane] = sum;
}

// Asks for a phase that one thread completes only when the others have given up.
extern "C" __global__ void barrier_gives_up(unsigned* out) {
    __shared__ Barrier barrier;
    start(barrier);
    bool complete = true;
    if (threadIdx.x != 0) {
        complete = barrier.try_wait_for(barrier.arrive(), cuda::std::chrono::nanoseconds(500));
    }
    __syncthreads();
    if (threadIdx.x == 0) barrier.arrive_and_wait();
    out[threadIdx.x] = complete;
}

// A barrier that is ended and made anew, for half of the threads.
extern "C" __global__ void barrier_again(unsigned* out) {
    __shared__ Barrier barrier;
    start(barrier);
    barrier.arrive_and_wait();
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier.~Barrier();
        init(&barrier, blockDim.x / 2);
    }
    __syncthreads();
    if (threadIdx.x < blockDim.x / 2) barrier.arrive_and_wait();
    out[threadIdx.x] = threadIdx.x;
}

// A barrier of the whole grid, in global memory: its words are the library's own.
extern "C" __global__ void barrier_of_grid(cuda::barrier<cuda::thread_scope_device>* barrier, unsigned* values, unsigned* out) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    values[thread] = thread;
    barrier->arrive_and_wait();
    out[thread] = values[threads - 1 - thread];
}

// The host cannot make it here, so a kernel does.
extern "C" __global__ void barrier_made(cuda::barrier<cuda::thread_scope_device>* barrier, int count) {
    init(barrier, count);
}
