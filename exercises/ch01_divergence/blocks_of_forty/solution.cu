// Three conditions, and blocks of 40 threads.
//
// A block of 40 has one full warp and a quarter of another: threads 32 to 39 of
// the block are lanes 0 to 7 of warp 1.
//
// The three arrays have an element for each thread of the launch, and start as
// zeros.

extern "C" __global__ void three_conditions(int* by_lane, int* by_index,
                                            int* by_warp) {
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    if (t % 2 == 0)      // (A)
        by_lane[i] = i;

    if (i / 32 % 2 == 0) // (B)
        by_index[i] = i;

    if (t / 32 == 0)     // (C)
        by_warp[i] = i;
}
