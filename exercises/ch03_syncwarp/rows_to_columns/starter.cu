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
    __shared__ int box[2][32][33];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    for (int tile = blockIdx.x * 2 + warp; tile < tiles; tile += gridDim.x * 2) {
        const int* from = in + tile * 32 * 32;
        int* to = out + tile * 32 * 32;
        // TODO: bring the tile to box[warp], and store it to `to` transposed.
    }
}
