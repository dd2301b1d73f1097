// Transposes square tiles: the rows of a tile become its columns.
//
// in, out: `tiles` tiles, one after the other, each with 32 rows of 32 numbers.
// A warp has one tile at a time, which it brings to its own box and takes out
// again. The warps share the tiles, so one may have a tile more than another.
// The rows of a box are one number longer than needed, so that a warp can also
// read a column of it without bank conflicts.
//
// Launch: any number of blocks of 64 threads, two warps each.

extern "C" __global__ void transpose_tiles(const int* in, int* out, int tiles) {
//= solution
    __shared__ int box[2][32][33];
//= wrong volatile_box
//    __shared__ volatile int box[2][32][33];
//= end
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    for (int tile = blockIdx.x * 2 + warp; tile < tiles; tile += gridDim.x * 2) {
        const int* from = in + tile * 32 * 32;
        int* to = out + tile * 32 * 32;
//= solution
        for (int row = 0; row < 32; row++) {
            box[warp][row][lane] = from[row * 32 + lane];
        }
        __syncwarp();
        for (int row = 0; row < 32; row++) {
            to[row * 32 + lane] = box[warp][lane][row];
        }
        __syncwarp();
//= starter
//        // TODO: bring the tile to box[warp], and store it to `to` transposed.
//= wrong without_a_box
//        for (int row = 0; row < 32; row++) {
//            to[lane * 32 + row] = from[row * 32 + lane];
//        }
//= wrong one_barrier
//        for (int row = 0; row < 32; row++) {
//            box[warp][row][lane] = from[row * 32 + lane];
//        }
//        __syncwarp();
//        for (int row = 0; row < 32; row++) {
//            to[row * 32 + lane] = box[warp][lane][row];
//        }
//= wrong no_barrier
//        for (int row = 0; row < 32; row++) {
//            box[warp][row][lane] = from[row * 32 + lane];
//        }
//        for (int row = 0; row < 32; row++) {
//            to[row * 32 + lane] = box[warp][lane][row];
//        }
//= wrong volatile_box
//        for (int row = 0; row < 32; row++) {
//            box[warp][row][lane] = from[row * 32 + lane];
//        }
//        for (int row = 0; row < 32; row++) {
//            to[row * 32 + lane] = box[warp][lane][row];
//        }
//= wrong barrier_of_the_block
//        for (int row = 0; row < 32; row++) {
//            box[warp][row][lane] = from[row * 32 + lane];
//        }
//        __syncthreads();
//        for (int row = 0; row < 32; row++) {
//            to[row * 32 + lane] = box[warp][lane][row];
//        }
//        __syncthreads();
//= wrong one_box_for_both
//        for (int row = 0; row < 32; row++) {
//            box[0][row][lane] = from[row * 32 + lane];
//        }
//        __syncwarp();
//        for (int row = 0; row < 32; row++) {
//            to[row * 32 + lane] = box[0][lane][row];
//        }
//        __syncwarp();
//= wrong transposed_twice
//        for (int row = 0; row < 32; row++) {
//            box[warp][lane][row] = from[row * 32 + lane];
//        }
//        __syncwarp();
//        for (int row = 0; row < 32; row++) {
//            to[row * 32 + lane] = box[warp][lane][row];
//        }
//        __syncwarp();
//= end
    }
}
