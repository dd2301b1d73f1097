// Sorting first: a few elements need long work, the rest next to none.
//
//   process_mixed      One pass, a branch for each element. A warp takes as long as its slowest lane, so a few
//                      expensive elements, scattered, slow down nearly all warps.
//   build_lists        Mends it, first half: puts the number of each element into one of two lists.
//   process_simple     Second half: the simple elements, and
//   process_expensive  the expensive ones, each list by whole warps on one path.
//
// An element is expensive if its value is below threshold, so the host chooses how many are.
//
// Launch: one thread for each element, one-dimensional; the two passes over lists may be launched for n as well,
// since they read the length of their list from memory.
// Preconditions: x, z, simple and expensive hold n elements; counts holds two, both 0 before build_lists.
// The order within a list depends on which thread comes first and is promised by nobody; z does not depend on it.
//
// builds: sm_70, sm_60, sm_70-debug

// ANCHOR: work
__device__ unsigned simple_work(unsigned value) {
    return 2 * value + 1;
}

// Not unrolled, so that one round is one turn of the loop.
__device__ unsigned expensive_work(unsigned value, int rounds) {
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        value = value * 1664525u + 1013904223u;
    }
    return value;
}
// ANCHOR_END: work

// ANCHOR: process_mixed
extern "C" __global__ void process_mixed(const unsigned* x, unsigned* z, unsigned threshold, int rounds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    if (x[i] < threshold) {
        z[i] = expensive_work(x[i], rounds);
    } else {
        z[i] = simple_work(x[i]);
    }
}
// ANCHOR_END: process_mixed

// ANCHOR: build_lists
extern "C" __global__ void build_lists(const unsigned* x, unsigned threshold, int* simple, int* expensive,
                                       int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    // atomicAdd hands every thread a place of its own.
    if (x[i] < threshold) {
        expensive[atomicAdd(&counts[1], 1)] = i;
    } else {
        simple[atomicAdd(&counts[0], 1)] = i;
    }
}
// ANCHOR_END: build_lists

// ANCHOR: process_lists
extern "C" __global__ void process_simple(const unsigned* x, unsigned* z, const int* simple, const int* counts) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= counts[0]) return;

    int i = simple[k];
    z[i] = simple_work(x[i]);
}

extern "C" __global__ void process_expensive(const unsigned* x, unsigned* z, const int* expensive, const int* counts,
                                             int rounds) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= counts[1]) return;

    int i = expensive[k];
    z[i] = expensive_work(x[i], rounds);
}
// ANCHOR_END: process_lists
