// A fire in a wood. In each round a place catches fire if one of its four
// neighbours was burning before the round: 1 burns, 0 does not.
//
// `wood` holds `width * height` places, row after row, and is changed.
// Launch: one block of 16 x 16 threads, `width` and `height` at most 16. The
// wood is kept in a tile with a frame of places that never burn.
extern "C" __global__ void spread_fire(int* wood, int width, int height,
                                       int rounds) {
    __shared__ int tile[18][18];
    int column = threadIdx.x + 1;
    int row = threadIdx.y + 1;
    bool has_place = threadIdx.x < width && threadIdx.y < height;
    int at = threadIdx.y * width + threadIdx.x;

    for (int k = threadIdx.y * 16 + threadIdx.x; k < 18 * 18; k += 256) {
        tile[k / 18][k % 18] = 0;
    }
    __syncthreads();
    if (has_place) tile[row][column] = wood[at];
    __syncthreads();

#pragma unroll 1  // one copy of the round is enough
    for (int round = 0; round < rounds; round++) {
        if (has_place) {
            int burns = tile[row][column] | tile[row][column - 1] |
                        tile[row][column + 1] | tile[row - 1][column] |
                        tile[row + 1][column];
            tile[row][column] = burns;
        }
        __syncthreads();
    }
    if (has_place) wood[at] = tile[row][column];
}
