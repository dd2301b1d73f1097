// Races, and what removes them. Each wrong kernel is next to the right one, from which it differs by a line or two.
//
//   tree_no_barrier      A tree of sums in shared memory without the barrier that ends each round.
//   tree_barrier         The same with that barrier.
//   warp_tree_unguarded  The last five rounds in one warp, in which all lanes add: each reads what another overwrites.
//   warp_tree_half       Half of a repair: the sum is kept in a register, but no barrier comes before the store.
//   warp_tree_fixed      All of it: load, barrier, store, barrier.
//   warp_tree_guarded    The usual repair: in each round, only the lanes add whose elements no other lane reads.
//   warp_tree_seven_f    The first of these rounds, with a barrier whose mask is 0xfffffff.
//   shift_in_place       Each thread takes the value of the next one, in place, across warps and blocks.
//   shift_apart          The same into another array.
//   count_plain          Every thread adds one to a counter.
//   count_atomic         The same by atomicAdd.
//   count_atomic_block   The same by an atomic whose scope is the block, from many blocks.
//   same_value           Every thread that finds a negative element sets a flag, and all set it to the same value.
//   shuffle_no_order     A shuffle between a store to shared memory and a load from it, which it does not order.
//   shuffle_and_barrier  The same with a barrier of the warp.
//
// Launch: one-dimensional; tree_* with blocks of 256, warp_* and shuffle_* with one block of 32; a grid that covers n.
// Preconditions: x and y hold n elements, or 32 if there is no n; sums holds one for each block; count and found one.
// A line that takes part in a race says so at its end, and a test compares this with what the emulator reports.
//
// builds: sm_70, sm_60, sm_70-debug

// ANCHOR: tree_no_barrier
extern "C" __global__ void tree_no_barrier(const int* x, int* sums, int n) {
    __shared__ int part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();

    for (int stride = 128; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            part[threadIdx.x] += part[threadIdx.x + stride];  // race
        }
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: tree_no_barrier

// ANCHOR: tree_barrier
extern "C" __global__ void tree_barrier(const int* x, int* sums, int n) {
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
// ANCHOR_END: tree_barrier

// The array has 48 elements, so that a lane that reads past the warp's own 32 reads zeros and not some other array.
__device__ int* load_warp(int* part, const int* x) {
    part[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x < 16) part[threadIdx.x + 32] = 0;
    __syncwarp();
    return part;
}

// ANCHOR: warp_tree_unguarded
extern "C" __global__ void warp_tree_unguarded(const int* x, int* sums) {
    __shared__ int memory[48];
    int* part = load_warp(memory, x);
    for (int offset = 16; offset > 0; offset /= 2) {
        part[threadIdx.x] += part[threadIdx.x + offset];  // race
        __syncwarp();
    }
    if (threadIdx.x == 0) sums[0] = part[0];
}
// ANCHOR_END: warp_tree_unguarded

// ANCHOR: warp_tree_half
extern "C" __global__ void warp_tree_half(const int* x, int* sums) {
    __shared__ int memory[48];
    int* part = load_warp(memory, x);
    int sum = part[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += part[threadIdx.x + offset];  // race
        part[threadIdx.x] = sum;            // race
        __syncwarp();
    }
    if (threadIdx.x == 0) sums[0] = part[0];
}
// ANCHOR_END: warp_tree_half

// ANCHOR: warp_tree_fixed
extern "C" __global__ void warp_tree_fixed(const int* x, int* sums) {
    __shared__ int memory[48];
    int* part = load_warp(memory, x);
    int sum = part[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += part[threadIdx.x + offset];
        __syncwarp();
        part[threadIdx.x] = sum;
        __syncwarp();
    }
    if (threadIdx.x == 0) sums[0] = part[0];
}
// ANCHOR_END: warp_tree_fixed

// ANCHOR: warp_tree_guarded
extern "C" __global__ void warp_tree_guarded(const int* x, int* sums) {
    __shared__ int memory[48];
    int* part = load_warp(memory, x);
    for (int offset = 16; offset > 0; offset /= 2) {
        if (threadIdx.x < offset) part[threadIdx.x] += part[threadIdx.x + offset];
        __syncwarp();
    }
    if (threadIdx.x == 0) sums[0] = part[0];
}
// ANCHOR_END: warp_tree_guarded

// ANCHOR: warp_tree_seven_f
extern "C" __global__ void warp_tree_seven_f(const int* x, int* sums) {
    __shared__ int part[32];
    part[threadIdx.x] = x[threadIdx.x];  // race
    if (threadIdx.x < 28) {
        __syncwarp(0xfffffff);
        if (threadIdx.x < 16) part[threadIdx.x] += part[threadIdx.x + 16];  // race
    }
    __syncwarp();
    if (threadIdx.x == 0) sums[0] = part[0];
}
// ANCHOR_END: warp_tree_seven_f

// ANCHOR: shift_in_place
extern "C" __global__ void shift_in_place(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) {
        x[i] = x[i + 1];  // race
    }
}
// ANCHOR_END: shift_in_place

// ANCHOR: shift_apart
extern "C" __global__ void shift_apart(const int* x, int* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) {
        y[i] = x[i + 1];
    }
}
// ANCHOR_END: shift_apart

// ANCHOR: count_plain
extern "C" __global__ void count_plain(int* count) {
    *count += 1;  // race
}
// ANCHOR_END: count_plain

// ANCHOR: count_atomic
extern "C" __global__ void count_atomic(int* count) {
    atomicAdd(count, 1);
}
// ANCHOR_END: count_atomic
#if __CUDA_ARCH__ >= 700  // PTX promises something about memory only from sm_70 on
// ANCHOR: count_atomic_block
extern "C" __global__ void count_atomic_block(int* count) {
    asm volatile("red.relaxed.cta.global.add.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(count)) : "memory");  // race
}
// ANCHOR_END: count_atomic_block
#endif
// ANCHOR: same_value
extern "C" __global__ void same_value(const int* x, int* found, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] < 0) {
        *found = 1;  // all threads store the same value: worth a note
    }
}
// ANCHOR_END: same_value

// ANCHOR: shuffle_no_order
extern "C" __global__ void shuffle_no_order(const int* x, int* y) {
    __shared__ int part[32];
    int value = x[threadIdx.x];
    part[threadIdx.x] = value;  // race
    value = __shfl_xor_sync(0xffffffff, value, 1);
    y[threadIdx.x] = value - part[threadIdx.x ^ 1];  // race
}
// ANCHOR_END: shuffle_no_order

// ANCHOR: shuffle_and_barrier
extern "C" __global__ void shuffle_and_barrier(const int* x, int* y) {
    __shared__ int part[32];
    int value = x[threadIdx.x];
    part[threadIdx.x] = value;
    value = __shfl_xor_sync(0xffffffff, value, 1);
    __syncwarp();
    y[threadIdx.x] = value - part[threadIdx.x ^ 1];
}
// ANCHOR_END: shuffle_and_barrier
