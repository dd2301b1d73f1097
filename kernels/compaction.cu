// Compaction: only the elements below a limit are kept, side by side. And the same question for keys: which place, which count?
//
//   keep_atomic          Each element that is kept draws its place from one counter.
//   keep_inc             The same with `atomicInc`, of which a compiler cannot make one addition for a warp.
//   keep_ballot          A warp draws places for all its elements at once; a lane's place follows from the ballot.
//   keep_ballot_lane     The same, but a lane's place follows from its number, as if all lanes before it kept something.
//   keep_block           A block draws places for all its elements at once.
//   keep_count           The number of elements that each block keeps, for keep_write.
//   keep_write           Each block writes after all that is kept before it: keeps the order.
//   count_keys           Each element adds one to the count of its key.
//   count_keys_match     The lanes of a warp with the same key add together.
//   count_keys_each      The same, but each of these lanes adds the number of all of them.
//
// Launch: a thread for each element, in blocks of a multiple of 32 threads. Preconditions: x holds n elements; y has room for
// those that are kept; count and counts are zero; for keep_write, `counts` holds the scan of what keep_count leaves, a sum for
// each block. A key is from 0 to the number of counts less one.
// A line that takes part in a race says so at its end.
//
// builds: sm_70

#define FULL 0xffffffff

// ANCHOR: below
// The lanes below this one, as a mask.
__device__ unsigned lanes_below() {
    return (1u << threadIdx.x % 32) - 1;
}
// ANCHOR_END: below

// ANCHOR: keep_atomic
extern "C" __global__ void keep_atomic(const int* x, int* y, unsigned* count, int limit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? x[i] : limit;
    if (value < limit) y[atomicAdd(count, 1)] = value;
}
// ANCHOR_END: keep_atomic

// ANCHOR: keep_inc
extern "C" __global__ void keep_inc(const int* x, int* y, unsigned* count, int limit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? x[i] : limit;
    if (value < limit) y[atomicInc(count, 0xffffffff)] = value;
}
// ANCHOR_END: keep_inc

// ANCHOR: keep_ballot
extern "C" __global__ void keep_ballot(const int* x, int* y, unsigned* count, int limit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? x[i] : limit;
    unsigned kept = __ballot_sync(FULL, value < limit);
    unsigned first = 0;
    if (threadIdx.x % 32 == 0 && kept != 0) first = atomicAdd(count, __popc(kept));
    first = __shfl_sync(FULL, first, 0);
    if (value < limit) y[first + __popc(kept & lanes_below())] = value;
}
// ANCHOR_END: keep_ballot

// ANCHOR: keep_ballot_lane
extern "C" __global__ void keep_ballot_lane(const int* x, int* y, unsigned* count, int limit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int value = i < n ? x[i] : limit;
    unsigned kept = __ballot_sync(FULL, value < limit);
    unsigned first = 0;
    if (lane == 0 && kept != 0) first = atomicAdd(count, __popc(kept));
    first = __shfl_sync(FULL, first, 0);
    if (value < limit && first + lane < n) y[first + lane] = value;  // race
}
// ANCHOR_END: keep_ballot_lane

// ANCHOR: places
// How many elements the threads before this one keep in the block. `counts[31]` is how many the block keeps.
__device__ unsigned kept_before(bool is_kept, unsigned* counts) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned kept = __ballot_sync(FULL, is_kept);
    if (lane == 0) counts[warp] = __popc(kept);
    __syncthreads();
    if (warp == 0) {
        unsigned sum = lane < blockDim.x / 32 ? counts[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            unsigned left = __shfl_up_sync(FULL, sum, d);
            if (lane >= d) sum += left;
        }
        counts[lane] = sum;
    }
    __syncthreads();
    return (warp > 0 ? counts[warp - 1] : 0) + __popc(kept & lanes_below());
}
// ANCHOR_END: places

// ANCHOR: keep_block
extern "C" __global__ void keep_block(const int* x, int* y, unsigned* count, int limit, int n) {
    __shared__ unsigned counts[32], first;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? x[i] : limit;
    unsigned place = kept_before(value < limit, counts);
    if (threadIdx.x == 0) first = atomicAdd(count, counts[31]);
    __syncthreads();
    if (value < limit) y[first + place] = value;
}
// ANCHOR_END: keep_block

// ANCHOR: keep_count
extern "C" __global__ void keep_count(const int* x, int* counts, int limit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int count = __syncthreads_count(i < n && x[i] < limit);
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
}
// ANCHOR_END: keep_count

// ANCHOR: keep_write
extern "C" __global__ void keep_write(const int* x, int* y, const int* counts, int limit, int n) {
    __shared__ unsigned of_warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? x[i] : limit;
    unsigned place = kept_before(value < limit, of_warps);
    if (blockIdx.x > 0) place += counts[blockIdx.x - 1];
    if (value < limit) y[place] = value;
}
// ANCHOR_END: keep_write

// ANCHOR: count_keys
extern "C" __global__ void count_keys(const int* keys, int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[keys[i]], 1);
}
// ANCHOR_END: count_keys

// ANCHOR: count_keys_match
extern "C" __global__ void count_keys_match(const int* keys, int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned here = __ballot_sync(FULL, i < n);
    if (i >= n) return;
    int key = keys[i];
    unsigned same = __match_any_sync(here, key);
    if ((same & lanes_below()) == 0) atomicAdd(&counts[key], __popc(same));
}
// ANCHOR_END: count_keys_match

// ANCHOR: count_keys_each
extern "C" __global__ void count_keys_each(const int* keys, int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned here = __ballot_sync(FULL, i < n);
    if (i >= n) return;
    int key = keys[i];
    unsigned same = __match_any_sync(here, key);
    atomicAdd(&counts[key], __popc(same));
}
// ANCHOR_END: count_keys_each
