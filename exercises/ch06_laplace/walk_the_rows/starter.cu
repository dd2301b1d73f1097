// Sums along rows of 32 points: each point becomes the sum of the points of its
// row up to itself. 32 rows are loaded into a tile, one warp walks along all of
// them, one lane per row, and the tile is stored again.
//
// `in` and `out` hold 32 rows for each block.
// Launch: blocks of 32 x 8 threads.
extern "C" __global__ void sum_along_rows(const float* in, float* out) {
    __shared__ float tile[32][32];
    int lane = threadIdx.x;
    int first = blockIdx.x * 32 * 32;

    for (int first_row = 0; first_row < 32; first_row += 8) {
        int row = first_row + threadIdx.y;
        tile[row][lane] = in[first + row * 32 + lane];
    }
    __syncthreads();
    if (threadIdx.y == 0) {
        float sum = 0.0f;
        for (int column = 0; column < 32; column++) {
            sum += tile[lane][column];
            tile[lane][column] = sum;
        }
    }
    __syncthreads();
    for (int first_row = 0; first_row < 32; first_row += 8) {
        int row = first_row + threadIdx.y;
        out[first + row * 32 + lane] = tile[row][lane];
    }
}
