// Votes without a mask, as they were before Volta: whichever lanes of the warp are at the instruction take part.
//
//   ballot_bare  OUTDATED. The mask of the lanes with x[i] > 0, by a vote without a mask. For sm_60 that is an
//                instruction. From sm_70 on there is none: CUDA 12.0 still compiles it, but no machine accepts it.
//   ballot_mask  The repair: the vote names the lanes that take part, and waits for them.
//
// Launch: one-dimensional blocks of whole warps. Preconditions: x and y hold an element for each thread.
//
// builds: sm_60

// ANCHOR: ballot_bare
extern "C" __global__ void ballot_bare(const int* x, unsigned* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __ballot(x[i] > 0);
}
// ANCHOR_END: ballot_bare

// ANCHOR: ballot_mask
extern "C" __global__ void ballot_mask(const int* x, unsigned* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __ballot_sync(0xffffffff, x[i] > 0);
}
// ANCHOR_END: ballot_mask
