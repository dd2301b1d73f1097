// A warp works in two halves. Lanes 0 to 15 load a piece of 16 numbers into the
// box. Lanes 16 to 31 take it out again, and each adds up one column of the
// pieces. Then the next piece goes through the same box.
//
// Launch: one warp a block; `in` holds `pieces` times 16 numbers for each
// block, `sums` 16 for each block.

extern "C" __global__ void one_box(const int* in, int* sums, int pieces) {
    __shared__ int box[16];
    int lane = threadIdx.x;
    bool fetches = lane < 16;
    in += blockIdx.x * pieces * 16;

    int sum = 0;
    for (int piece = 0; piece < pieces; piece++) {
        if (fetches) box[lane] = in[piece * 16 + lane];
        __syncwarp();
        if (!fetches) sum += box[lane - 16];
    }
    if (!fetches) sums[blockIdx.x * 16 + lane - 16] = sum;
}
