// Sorting first, built on a scan: the expensive elements to the front, and then every warp does work of one kind.
//
//   split_count    How many elements of its block are expensive. A scan of these counts (scan_ahead.cu) says how many
//                  are expensive in all blocks up to each one.
//   split_write    Moves every element, with its number, to where the scan says: the expensive elements first, then the
//                  others, each group in its old order. This is one step of a radix sort, by a key of one bit.
//   split_process  The work, in the new order. At most one warp has elements of both kinds.
//
// sorting.cu has the same work in one pass, and the lists for which a single thread adds up the counts.
//
// Launch: one-dimensional, a thread for each element, in blocks of a multiple of 32 threads; all three with the same grid.
// Preconditions: x, sorted, numbers and z have n elements, counts one for each block; for the last two kernels counts
// holds the inclusive scan of what split_count leaves.
//
// builds: sm_70

#define FULL 0xffffffff

// The same work as in sorting.cu.
__device__ unsigned simple_work(unsigned value) {
    return 2 * value + 1;
}

__device__ unsigned expensive_work(unsigned value, int rounds) {
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        value = value * 1664525u + 1013904223u;
    }
    return value;
}

// ANCHOR: split_count
extern "C" __global__ void split_count(const unsigned* x, int* counts, unsigned threshold, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int expensive = __syncthreads_count(i < n && x[i] < threshold);
    if (threadIdx.x == 0) counts[blockIdx.x] = expensive;
}
// ANCHOR_END: split_count

// How many of the block's threads before this one have a true argument.
__device__ int true_before(bool mine, int* counts) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned votes = __ballot_sync(FULL, mine);
    if (lane == 0) counts[warp] = __popc(votes);
    __syncthreads();
    if (warp == 0) {
        int sum = lane < blockDim.x / 32 ? counts[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            int left = __shfl_up_sync(FULL, sum, d);
            if (lane >= d) sum += left;
        }
        counts[lane] = sum;
    }
    __syncthreads();
    return (warp > 0 ? counts[warp - 1] : 0) + __popc(votes & ((1u << lane) - 1));
}

// ANCHOR: split_write
extern "C" __global__ void split_write(const unsigned* x, unsigned* sorted, int* numbers, const int* counts,
                                       unsigned threshold, int n) {
    __shared__ int of_warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = i < n ? x[i] : 0;
    bool is_expensive = i < n && value < threshold;
    int before = true_before(is_expensive, of_warps);
    if (blockIdx.x > 0) before += counts[blockIdx.x - 1];
    if (i >= n) return;

    int all = counts[gridDim.x - 1];
    int at = is_expensive ? before : all + (i - before);
    sorted[at] = value;
    numbers[at] = i;
}
// ANCHOR_END: split_write

// ANCHOR: split_process
extern "C" __global__ void split_process(const unsigned* sorted, const int* numbers, unsigned* z, const int* counts,
                                         int rounds, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;

    unsigned value = sorted[k];
    if (k < counts[gridDim.x - 1]) {
        value = expensive_work(value, rounds);
    } else {
        value = simple_work(value);
    }
    z[numbers[k]] = value;
}
// ANCHOR_END: split_process
