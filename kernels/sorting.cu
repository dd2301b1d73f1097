// Sorting first: a few elements need long work, and the others next to none.
//
//   process_mixed      One pass over all elements, with a branch for each. A warp takes as long as its slowest lane,
//                      and the few expensive elements may be in any warp.
//
// The alternative first makes two lists, with the numbers of the simple and of the expensive elements. The same T
// threads build both lists, and thread t is responsible for the elements t, t + T, t + 2T, and so on.
//
//   count_lists        Each thread counts how many of its elements are simple and how many are expensive.
//   place_lists        One thread goes through the counts and replaces each by the place in the list where that thread
//                      begins to write: the sum of all counts before it (an exclusive prefix sum). That is the
//                      simplest solution that is right, but all other lanes are idle meanwhile.
//   fill_lists         Each thread looks at its elements again and writes their numbers to the list, one after the
//                      other, from its own place on. No two threads write to the same place, so no thread has to wait.
//   process_simple     The simple elements, and
//   process_expensive  the expensive ones, each list by whole warps on one path.
//
// An element is expensive if its value is less than threshold, so the host chooses how many of them are.
//
// Launch: one-dimensional; process_mixed with one thread for each element, count_lists and fill_lists with the same
// number T of threads, whatever n is, place_lists with at least one thread. The two passes over the lists need a thread
// for each entry of their list. More do no harm, up to n, because each pass reads the length of its list from memory.
// Preconditions: x, z, simple and expensive have n elements; simple_places and expensive_places have T, one for each
// thread; counts has two, the lengths of the lists, which place_lists writes. n + T is less than 2^31.
// A list has the elements of thread 0 in rising order, then those of thread 1, and so on: the same in every run.
//
// builds: sm_70, sm_60, sm_70-debug

// ANCHOR: work
__device__ unsigned simple_work(unsigned value) {
    return 2 * value + 1;
}

// The loop is not unrolled, so that one round is one turn.
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

// ANCHOR: count_lists
extern "C" __global__ void count_lists(const unsigned* x, unsigned threshold, int* simple_places,
                                       int* expensive_places, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;

    int seen = 0, expensive = 0;
#pragma unroll 1
    for (int i = t; i < n; i += threads) {
        seen++;
        expensive += x[i] < threshold;
    }
    simple_places[t] = seen - expensive;
    expensive_places[t] = expensive;
}
// ANCHOR_END: count_lists

// ANCHOR: place_lists
extern "C" __global__ void place_lists(int* simple_places, int* expensive_places, int* counts, int threads) {
    if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;

    int simple = 0, expensive = 0;
#pragma unroll 1
    for (int t = 0; t < threads; t++) {
        int simple_here = simple_places[t], expensive_here = expensive_places[t];
        simple_places[t] = simple;
        expensive_places[t] = expensive;
        simple += simple_here;
        expensive += expensive_here;
    }
    counts[0] = simple;
    counts[1] = expensive;
}
// ANCHOR_END: place_lists

// ANCHOR: fill_lists
extern "C" __global__ void fill_lists(const unsigned* x, unsigned threshold, const int* simple_places,
                                      const int* expensive_places, int* simple, int* expensive, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;

    int next_simple = simple_places[t], next_expensive = expensive_places[t];
#pragma unroll 1
    for (int i = t; i < n; i += threads) {
        if (x[i] < threshold) {
            expensive[next_expensive++] = i;
        } else {
            simple[next_simple++] = i;
        }
    }
}
// ANCHOR_END: fill_lists

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
