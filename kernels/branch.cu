// Branches: what a warp does when its lanes disagree, and what the disagreement costs.
//
//   branch_sqrt          Two short paths chosen by the data. The square root of a negative number is never asked for.
//   sqrt_then_select     The same result, the other way round: every lane computes both values and keeps one. The square
//                        root of a negative number is computed too, and thrown away.
//   sqrt_voted           The same result with the two votes that compilers were once said to put around long paths: a
//                        path is skipped if no lane of the warp wants it.
//   guarded_load         The condition protects a load: a lane whose index is negative must not touch memory.
//   select_merge         Both values exist, one is picked. Nothing to skip, so no branch is needed at all.
//   uniform_condition    The condition is a kernel parameter: all lanes agree, and the compiler knows it.
//   expensive_one_lane   The bad case: one lane of each warp has much to do, and 31 wait for it.
//   expensive_packed     Mends it by placement: as many elements have much to do, but they fill whole warps, so that
//                        31 warps of 32 have nothing to wait for.
//   worst_case_switch    The worst case: 32 lanes, 32 paths, one lane at work at any time.
//   worst_case_together  Its twin: the same work for each lane, on one path.
//
// Launch: one thread for each element, one-dimensional; for the last four, blocks and n are multiples of 32, and for
// expensive_packed n is a multiple of 1024 if both are to have the same number of expensive elements.
// Preconditions: every array holds n elements; index[i] is below the length of x; rounds >= 0.
//
// In PTX, select_merge is a selp, and every other if is a branch, even the shortest: whether one becomes a predicate is
// settled later, when PTX is turned into machine code. The switch of worst_case_switch is a tree of comparisons, five
// branches deep, with a loop at each of its 32 leaves.
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
    float root = sqrtf(x[i]);  // no number where x[i] is negative
    z[i] = x[i] < 0.0f ? below : root;
}
// ANCHOR_END: sqrt_then_select

// ANCHOR: sqrt_voted
extern "C" __global__ void sqrt_voted(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? x[i] : 0.0f, result = 0.0f;  // nobody returns: all lanes vote

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
        z[i] = x[k];  // a negative k never gets here
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
// Work that takes as long as we like and comes out the same on every machine: steps of a linear congruential
// generator. Not unrolled, so that one round is one turn of the loop.
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
// One path: its multiplier is a constant of the program, so the paths cannot be folded into one.
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
