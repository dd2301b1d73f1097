// The barrier of a warp: the last five rounds of a sum, which stay inside one warp, and what they need between them.
//
//   tail_syncthreads        A tree of sums in shared memory; every round ends with a barrier of the block.
//   tail_syncwarp           The same, but the last five rounds end with a barrier of the warp.
//   tail_no_barrier         The same with no barrier between these rounds: one may read what the round before has not
//                           written yet.
//   tail_first_warp         tail_syncwarp, but only the first warp executes these rounds: the others have ended.
//   tail_unguarded          All lanes add in the last five rounds: each reads what another overwrites, and the last
//                           warp reads past the end of the array.
//   tail_unused_register    Reads into a register before the barrier, but adds what it reads again after it: the
//                           register is never used, so the compiler drops it, and the race remains.
//   tail_fixed              All lanes add, each in a register: load, barrier, store, barrier. A lane that would read
//                           past its warp reads from the beginning of the warp instead.
//   tail_syncwarp_float     tail_syncwarp for floats, which atomicAdd adds in any order.
//   tail_other_order        tail_unguarded for one warp, in an order that its race allows: in each round, the lanes
//                           that others read from add first. Barriers force this order; without them it is luck.
//   mask_seven_f            A barrier of the warp with the mask 0xfffffff, which all lanes execute.
//   mask_outside            The lanes that this mask does not name stay away from the barrier.
//   mask_default            The same barrier without a mask in the source, which names all 32 lanes.
//   sides                   The lanes of both sides of a branch draw numbers: which side runs first?
//   sides_in_order          The same with a barrier of the warp between the two sides.
//   wait_apart              Half of a warp waits for the block, and the other half for the warp.
//   wait_without_exited     The other half has ended when the first half comes to the block's barrier.
//   wait_together           All threads come to the barrier; only the work after it is for half of them.
//   tile_no_barrier         Threads load a tile into shared memory, and at once use what others have loaded.
//   tile_barrier            The same with a barrier of the block in between.
//
// Launch: one-dimensional. tail_* with a power of two from 32 to 1024 threads in a block, a grid that covers n, and 4
// bytes of dynamic shared memory for each thread of a block (tail_unguarded and tail_unused_register read 64 more);
// mask_*, sides*, wait_* and tail_other_order with one block of 32; tile_* with blocks of up to 256.
// Preconditions: x and y hold n elements; if there is no n, 32, and in tile_* one for each thread. sum has one element
// and is zero, as is turn; drawn holds 32.
// A line that takes part in a race says so at its end.
//
// builds: sm_70

// Every thread stores an element in shared memory. Then the threads add in rounds, each followed by a barrier of the
// block, until the first warp has the sums of all others.
template <typename T>
__device__ void sum_down_to_a_warp(T* part, const T* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride >= 32; stride /= 2) {
        if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
        __syncthreads();
    }
}

// ANCHOR: tail_syncthreads
extern "C" __global__ void tail_syncthreads(const int* x, int* sum, int n) {
    extern __shared__ int part[];
    sum_down_to_a_warp(part, x, n);
    for (int offset = 16; offset > 0; offset /= 2) {
        if (threadIdx.x < offset) part[threadIdx.x] += part[threadIdx.x + offset];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}
// ANCHOR_END: tail_syncthreads

// ANCHOR: tail_syncwarp
extern "C" __global__ void tail_syncwarp(const int* x, int* sum, int n) {
    extern __shared__ int part[];
    sum_down_to_a_warp(part, x, n);
    for (int offset = 16; offset > 0; offset /= 2) {
        if (threadIdx.x < offset) part[threadIdx.x] += part[threadIdx.x + offset];
        __syncwarp();
    }
    if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}
// ANCHOR_END: tail_syncwarp

// ANCHOR: tail_no_barrier
extern "C" __global__ void tail_no_barrier(const int* x, int* sum, int n) {
    extern __shared__ int part[];
    sum_down_to_a_warp(part, x, n);
    for (int offset = 16; offset > 0; offset /= 2) {
        if (threadIdx.x < offset) part[threadIdx.x] += part[threadIdx.x + offset];  // race
    }
    if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}
// ANCHOR_END: tail_no_barrier

// ANCHOR: tail_first_warp
extern "C" __global__ void tail_first_warp(const int* x, int* sum, int n) {
    extern __shared__ int part[];
    sum_down_to_a_warp(part, x, n);
    if (threadIdx.x >= 32) return;
    for (int offset = 16; offset > 0; offset /= 2) {
        if (threadIdx.x < offset) part[threadIdx.x] += part[threadIdx.x + offset];
        __syncwarp();
    }
    if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}
// ANCHOR_END: tail_first_warp

// ANCHOR: tail_unguarded
extern "C" __global__ void tail_unguarded(const int* x, int* sum, int n) {
    extern __shared__ int part[];
    sum_down_to_a_warp(part, x, n);
    for (int offset = 16; offset > 0; offset /= 2) {
        part[threadIdx.x] += part[threadIdx.x + offset];  // race
        __syncwarp();
    }
    if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}
// ANCHOR_END: tail_unguarded

// ANCHOR: tail_unused_register
extern "C" __global__ void tail_unused_register(const int* x, int* sum, int n) {
    extern __shared__ int part[];
    sum_down_to_a_warp(part, x, n);
    int kept = 0;
    for (int offset = 16; offset > 0; offset /= 2) {
        kept += part[threadIdx.x + offset];  // nothing uses this sum
        __syncwarp();
        part[threadIdx.x] += part[threadIdx.x + offset];  // race
        __syncwarp();
    }
    if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}
// ANCHOR_END: tail_unused_register

// ANCHOR: tail_fixed
extern "C" __global__ void tail_fixed(const int* x, int* sum, int n) {
    extern __shared__ int part[];
    sum_down_to_a_warp(part, x, n);
    int lane = threadIdx.x % 32, first = threadIdx.x - lane;
    int kept = part[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) {
        kept += part[first + (lane + offset) % 32];
        __syncwarp();
        part[threadIdx.x] = kept;
        __syncwarp();
    }
    if (threadIdx.x == 0) atomicAdd(sum, kept);
}
// ANCHOR_END: tail_fixed

// ANCHOR: tail_syncwarp_float
extern "C" __global__ void tail_syncwarp_float(const float* x, float* sum, int n) {
    extern __shared__ float parts[];
    sum_down_to_a_warp(parts, x, n);
    for (int offset = 16; offset > 0; offset /= 2) {
        if (threadIdx.x < offset) parts[threadIdx.x] += parts[threadIdx.x + offset];
        __syncwarp();
    }
    if (threadIdx.x == 0) atomicAdd(sum, parts[0]);
}
// ANCHOR_END: tail_syncwarp_float

// ANCHOR: tail_other_order
extern "C" __global__ void tail_other_order(const int* x, int* sum) {
    __shared__ int part[48];
    part[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x < 16) part[threadIdx.x + 32] = 0;
    __syncwarp();
    for (int offset = 16; offset > 0; offset /= 2) {
        bool is_read = threadIdx.x & offset;
        if (is_read) part[threadIdx.x] += part[threadIdx.x + offset];
        __syncwarp();
        if (!is_read) part[threadIdx.x] += part[threadIdx.x + offset];
        __syncwarp();
    }
    if (threadIdx.x == 0) *sum = part[0];
}
// ANCHOR_END: tail_other_order

// ANCHOR: mask_seven_f
extern "C" __global__ void mask_seven_f(const int* x, int* y) {
    __shared__ int part[32];
    part[threadIdx.x] = x[threadIdx.x];
    __syncwarp(0xfffffff);  // lanes 28 to 31 execute this too, but the mask does not name them
    y[threadIdx.x] = part[threadIdx.x ^ 16];
}
// ANCHOR_END: mask_seven_f

// ANCHOR: mask_outside
extern "C" __global__ void mask_outside(const int* x, int* y) {
    __shared__ int part[32];
    part[threadIdx.x] = x[threadIdx.x];  // race
    if (threadIdx.x < 28) __syncwarp(0xfffffff);
    y[threadIdx.x] = part[threadIdx.x ^ 16];  // race
}
// ANCHOR_END: mask_outside

// ANCHOR: mask_default
extern "C" __global__ void mask_default(const int* x, int* y) {
    __shared__ int part[32];
    part[threadIdx.x] = x[threadIdx.x];
    __syncwarp();
    y[threadIdx.x] = part[threadIdx.x ^ 16];
}
// ANCHOR_END: mask_default

// The two sides draw by different instructions with the same effect, because the compiler would merge two equal ones.
// ANCHOR: sides
extern "C" __global__ void sides(unsigned* turn, unsigned* drawn, unsigned true_lanes) {
    if (true_lanes >> threadIdx.x & 1) {
        drawn[threadIdx.x] = atomicAdd(turn, 1);
    } else {
        drawn[threadIdx.x] = atomicInc(turn, 0xffffffff);
    }
}
// ANCHOR_END: sides

// ANCHOR: sides_in_order
extern "C" __global__ void sides_in_order(unsigned* turn, unsigned* drawn, unsigned true_lanes) {
    bool is_true = true_lanes >> threadIdx.x & 1;
    if (is_true) drawn[threadIdx.x] = atomicAdd(turn, 1);
    __syncwarp();
    if (!is_true) drawn[threadIdx.x] = atomicInc(turn, 0xffffffff);
}
// ANCHOR_END: sides_in_order

// ANCHOR: wait_apart
extern "C" __global__ void wait_apart(const int* x, int* y) {
    __shared__ int part[32];
    part[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x < 16) __syncthreads();
    __syncwarp();
    y[threadIdx.x] = part[threadIdx.x ^ 1];
}
// ANCHOR_END: wait_apart

// ANCHOR: wait_without_exited
extern "C" __global__ void wait_without_exited(const int* x, int* y) {
    __shared__ int part[32];
    part[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x >= 16) return;
    __syncthreads();
    y[threadIdx.x] = part[threadIdx.x ^ 1];
}
// ANCHOR_END: wait_without_exited

// ANCHOR: wait_together
extern "C" __global__ void wait_together(const int* x, int* y) {
    __shared__ int part[32];
    part[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 16) y[threadIdx.x] = part[threadIdx.x ^ 1];
}
// ANCHOR_END: wait_together

// ANCHOR: tile_no_barrier
extern "C" __global__ void tile_no_barrier(const int* x, int* y) {
    __shared__ int tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = x[i];                   // race
    y[i] = tile[blockDim.x - 1 - threadIdx.x];  // race
}
// ANCHOR_END: tile_no_barrier

// ANCHOR: tile_barrier
extern "C" __global__ void tile_barrier(const int* x, int* y) {
    __shared__ int tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = tile[blockDim.x - 1 - threadIdx.x];
}
// ANCHOR_END: tile_barrier
