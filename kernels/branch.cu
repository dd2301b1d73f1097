// Branches: what a warp does when its lanes disagree, and what that costs.
//
//   branch_sqrt          Two short paths, chosen by the data: a square root, or a subtraction for negative numbers.
//   sqrt_then_select     The same result in another way: every lane computes both values and keeps one of them, so it
//                        also computes the root that it does not need.
//   sqrt_voted           The same result, with the two votes that compilers were once said to put around long paths:
//                        the warp skips a path if none of its lanes wants it.
//   guarded_load         The condition protects a load: a lane whose index is negative must not touch memory.
//   select_merge         Both values exist already, and one of them is picked.
//   uniform_condition    The condition tests a parameter of the kernel, which is the same in all lanes.
//   expensive_one_lane   In each warp one lane has long work, and the other 31 wait for it.
//   expensive_packed     Its twin: the same number of elements have long work, but they fill whole warps, so that in 31
//                        of 32 warps there is nothing to wait for.
//   worst_case_switch    Every lane of a warp has a path of its own, so there are 32 paths.
//   worst_case_together  Its twin: the same work for each lane, but on one path for all.
//
// Launch: one thread for each element, one-dimensional. For the last four, the block size and n are multiples of 32,
// and the two expensive_... kernels have equally many expensive elements only if n is a multiple of 1024.
// Preconditions: every array has n elements; index[i] is less than the length of x; rounds >= 0.
//
// In PTX the choices in select_merge and sqrt_then_select are selp, and every other if is a branch, even the shortest.
// Whether a branch becomes a predicate is only decided when PTX is translated to machine code. The switch of
// worst_case_switch is a tree of comparisons, five branches deep, with a loop at each of its 32 leaves.
//
// builds: sm_70, sm_60, sm_70-debug

// ANCHOR: branch_sqrt
extern "C" __global__ void branch_sqrt(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    if (x[i] < 0.0f) {
        z[i] = x[i] - 2.0f;
    } else {
        z[i] = sqrtf(x[i]);
    }
}
// ANCHOR_END: branch_sqrt

// ANCHOR: sqrt_then_select
extern "C" __global__ void sqrt_then_select(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float below = x[i] - 2.0f;
    float root = sqrtf(x[i]);  // not a number if x[i] is negative
    z[i] = x[i] < 0.0f ? below : root;
}
// ANCHOR_END: sqrt_then_select

// ANCHOR: sqrt_voted
extern "C" __global__ void sqrt_voted(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? x[i] : 0.0f, result = 0.0f;  // no lane returns: all of them vote

    bool is_negative = value < 0.0f;
    if (__any_sync(0xffffffff, is_negative)) {
        if (is_negative) result = value - 2.0f;
    }
    if (__any_sync(0xffffffff, !is_negative)) {
        if (!is_negative) result = sqrtf(value);
    }
    if (i < n) z[i] = result;
}
// ANCHOR_END: sqrt_voted

// ANCHOR: guarded_load
extern "C" __global__ void guarded_load(const int* index, const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int k = index[i];
    if (k >= 0) {
        z[i] = x[k];  // not reached with a negative k
    } else {
        z[i] = 0.0f;
    }
}
// ANCHOR_END: guarded_load

// ANCHOR: select_merge
extern "C" __global__ void select_merge(const int* p, const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float a = x[i], b = y[i];
    z[i] = p[i] ? a : b;
}
// ANCHOR_END: select_merge

// ANCHOR: uniform_condition
extern "C" __global__ void uniform_condition(int which, const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    if (which == 1) {
        z[i] = x[i] * x[i];
    } else {
        z[i] = x[i] + 2.5f;
    }
}
// ANCHOR_END: uniform_condition

// ANCHOR: expensive
// Work that takes as long as we like and has the same result on every machine: steps of a linear congruential
// generator. The loop is not unrolled, so that one round is one turn.
__device__ unsigned expensive(unsigned value, int rounds) {
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        value = value * 1664525u + 1013904223u;
    }
    return value;
}
// ANCHOR_END: expensive

// ANCHOR: expensive_one_lane
extern "C" __global__ void expensive_one_lane(const unsigned* x, unsigned* z, int rounds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned value = x[i];
    if (i % 32 == 0) {  // lane 0 of every warp
        value = expensive(value, rounds);
    }
    z[i] = value;
}
// ANCHOR_END: expensive_one_lane

// ANCHOR: expensive_packed
extern "C" __global__ void expensive_packed(const unsigned* x, unsigned* z, int rounds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned value = x[i];
    if (i / 32 % 32 == 0) {  // every lane of every 32nd warp
        value = expensive(value, rounds);
    }
    z[i] = value;
}
// ANCHOR_END: expensive_packed

// ANCHOR: worst_case
// One path. Its multiplier is a constant in the program, so the compiler cannot merge the paths into one.
template <unsigned path>
__device__ unsigned walk(unsigned value, int rounds) {
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        value = value * (2 * path + 3) + path;
    }
    return value;
}

#define PATH(k) case k: value = walk<k>(value, rounds); break;
#define FOUR_PATHS(k) PATH(k) PATH(k + 1) PATH(k + 2) PATH(k + 3)

extern "C" __global__ void worst_case_switch(const unsigned* x, unsigned* z, int rounds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned value = x[i];
    switch (i % 32) {
        FOUR_PATHS(0) FOUR_PATHS(4) FOUR_PATHS(8) FOUR_PATHS(12)
        FOUR_PATHS(16) FOUR_PATHS(20) FOUR_PATHS(24) FOUR_PATHS(28)
    }
    z[i] = value;
}

extern "C" __global__ void worst_case_together(const unsigned* x, unsigned* z, int rounds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned value = x[i], path = i % 32;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        value = value * (2 * path + 3) + path;
    }
    z[i] = value;
}
// ANCHOR_END: worst_case
