// A warp of 8 x 4 threads reads a tile with its axes swapped: `x` chooses the
// row and `y` the column. There are three copies of the tile, with rows of 32,
// of 33 and of 36 floats.
//
// Launch: one block of 8 x 4 threads; lane = 8 * y + x.
extern "C" __global__ void turned(const float* in, float* out) {
    __shared__ float rows_of_32[8][32];
    __shared__ float rows_of_33[8][33];
    __shared__ float rows_of_36[8][36];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int lane = 8 * y + x;

    for (int row = 0; row < 8; row++) {
        float value = in[row * 32 + lane];
        rows_of_32[row][lane] = value;
        rows_of_33[row][lane] = value;
        rows_of_36[row][lane] = value;
    }
    __syncthreads();

    float a = rows_of_32[x][y];  // (A)
    float b = rows_of_33[x][y];  // (B)
    float c = rows_of_36[x][y];  // (C)
    out[lane] = a + b + c;
}
