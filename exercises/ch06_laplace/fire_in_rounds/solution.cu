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
//= solution
    if (has_place) tile[row][column] = wood[at];
//= wrong early_return
//    if (!has_place) return;
//    tile[row][column] = wood[at];
//= end
    __syncthreads();

#pragma unroll 1  // one copy of the round is enough
    for (int round = 0; round < rounds; round++) {
//= solution
        // All threads may look, but only those with a place may write.
        int burns = tile[row][column] | tile[row][column - 1] |
                    tile[row][column + 1] | tile[row - 1][column] |
                    tile[row + 1][column];
        __syncthreads();
        if (has_place) tile[row][column] = burns;
        __syncthreads();
//= starter
//        if (has_place) {
//            int burns = tile[row][column] | tile[row][column - 1] |
//                        tile[row][column + 1] | tile[row - 1][column] |
//                        tile[row + 1][column];
//            tile[row][column] = burns;
//        }
//        __syncthreads();
//= wrong under_the_guard
//        if (has_place) {
//            int burns = tile[row][column] | tile[row][column - 1] |
//                        tile[row][column + 1] | tile[row - 1][column] |
//                        tile[row + 1][column];
//            __syncthreads();
//            tile[row][column] = burns;
//        }
//        __syncthreads();
//= wrong warp_waits
//        int burns = 0;
//        if (has_place) {
//            burns = tile[row][column] | tile[row][column - 1] |
//                    tile[row][column + 1] | tile[row - 1][column] |
//                    tile[row + 1][column];
//        }
//        __syncwarp();
//        if (has_place) tile[row][column] = burns;
//        __syncthreads();
//= wrong moved
//        int burns = 0;
//        if (has_place) {
//            burns = tile[row][column] | tile[row][column - 1] |
//                    tile[row][column + 1] | tile[row - 1][column] |
//                    tile[row + 1][column];
//        }
//        __syncthreads();
//        if (has_place) tile[row][column] = burns;
//= wrong early_return
//        int burns = tile[row][column] | tile[row][column - 1] |
//                    tile[row][column + 1] | tile[row - 1][column] |
//                    tile[row + 1][column];
//        __syncthreads();
//        tile[row][column] = burns;
//        __syncthreads();
//= end
    }
    if (has_place) wood[at] = tile[row][column];
}
