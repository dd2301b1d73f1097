// Shuffles and votes: what the lanes of a warp can tell each other without memory.
//
//   vote_warp         Every lane gets the answers of its warp: the mask of lanes with x[i] > 0, whether all are in it,
//                     and whether any is. y[3 * i + k] is answer k of thread i.
//   match_warp        Every lane learns which lanes have the same x: their mask; the full mask if all lanes have it, or
//                     else 0; and whether all have.
//   count_by_ballot   WRONG in a block of several warps: counts the threads with x[i] > 0 by a vote, in which only the
//                     warp takes part. Its right twin is sync_reductions of features_warps.cu.
//   shuffle_idx       Each lane reads the lane with the number `source` in its segment of `width` lanes.
//   shuffle_up        Each lane reads the lane `offset` places below it in its segment, or itself if there is none.
//   shuffle_down      Each lane reads the lane `offset` places above it in its segment, or itself if there is none.
//   shuffle_xor       Each lane reads the lane whose number differs from its own in the bits of `lane_mask`.
//   shuffle_rotate    Each lane reads the lane `offset` places above it; the end of a segment is followed by its start.
//   lane_modulo       The lane's number in its segment, as threadIdx.x % width. WRONG in a block of several rows,
//                     unless each row is a whole number of segments.
//   lane_and          The same as threadIdx.x & (width - 1). WRONG there too, and for a width that is no power of two.
//   lane_of_rank      Repairs both: it numbers threads through all dimensions first. Right for blocks of any shape.
//
// Launch: one-dimensional blocks of whole warps; lane_* one block of any shape. Widths of shuffle_* are powers of two
// up to 32, because others do not make segments.
// Preconditions: x holds an element for each thread, y as many as there are answers.
//
// builds: sm_70

#define FULL 0xffffffff

// ANCHOR: vote_warp
extern "C" __global__ void vote_warp(const int* x, unsigned* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool positive = x[i] > 0;
    y[3 * i] = __ballot_sync(FULL, positive);
    y[3 * i + 1] = __all_sync(FULL, positive);
    y[3 * i + 2] = __any_sync(FULL, positive);
}
// ANCHOR_END: vote_warp

// ANCHOR: match_warp
extern "C" __global__ void match_warp(const int* x, unsigned* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int all_same;
    y[3 * i] = __match_any_sync(FULL, x[i]);
    y[3 * i + 1] = __match_all_sync(FULL, x[i], &all_same);
    y[3 * i + 2] = all_same;
}
// ANCHOR_END: match_warp

// ANCHOR: count_by_ballot
extern "C" __global__ void count_by_ballot(const int* x, unsigned* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __popc(__ballot_sync(FULL, x[i] > 0));
}
// ANCHOR_END: count_by_ballot

// ANCHOR: shuffle_idx
extern "C" __global__ void shuffle_idx(const int* x, int* y, int source, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __shfl_sync(FULL, x[i], source, width);
}
// ANCHOR_END: shuffle_idx

// ANCHOR: shuffle_up
extern "C" __global__ void shuffle_up(const int* x, int* y, int offset, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __shfl_up_sync(FULL, x[i], offset, width);
}
// ANCHOR_END: shuffle_up

// ANCHOR: shuffle_down
extern "C" __global__ void shuffle_down(const int* x, int* y, int offset, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __shfl_down_sync(FULL, x[i], offset, width);
}
// ANCHOR_END: shuffle_down

// ANCHOR: shuffle_xor
extern "C" __global__ void shuffle_xor(const int* x, int* y, int lane_mask, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __shfl_xor_sync(FULL, x[i], lane_mask, width);
}
// ANCHOR_END: shuffle_xor

// ANCHOR: shuffle_rotate
extern "C" __global__ void shuffle_rotate(const int* x, int* y, int offset, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __shfl_sync(FULL, x[i], threadIdx.x + offset, width);
}
// ANCHOR_END: shuffle_rotate

__device__ int thread_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

// ANCHOR: lane_modulo
extern "C" __global__ void lane_modulo(int* y, int width) {
    y[thread_in_block()] = threadIdx.x % width;
}
// ANCHOR_END: lane_modulo

// ANCHOR: lane_and
extern "C" __global__ void lane_and(int* y, int width) {
    y[thread_in_block()] = threadIdx.x & (width - 1);
}
// ANCHOR_END: lane_and

// ANCHOR: lane_of_rank
extern "C" __global__ void lane_of_rank(int* y, int width) {
    y[thread_in_block()] = thread_in_block() % 32 % width;
}
// ANCHOR_END: lane_of_rank
