// Three shuffles of one warp. Every lane brings its own number, so what
// it gets is the number of the lane that it has read.

#define FULL 0xffffffff

extern "C" __global__ void three_shuffles(
    int* kept, int* swapped, int* picked
) {
    int lane = threadIdx.x;

    int up = __shfl_up_sync(FULL, lane, 3, 8);
    kept[lane] = up == lane;                                  // (A)

    swapped[lane] = __shfl_xor_sync(FULL, lane, 5, 8);        // (B)

    picked[lane] = __shfl_sync(FULL, lane, 2 * lane + 1, 4);  // (C)
}
