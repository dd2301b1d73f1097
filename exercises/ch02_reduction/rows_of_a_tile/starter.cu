// The sums of 32 rows of 32 numbers, computed by one warp. It copies the rows to
// shared memory first, so that it reads neighbours in global memory.
//
// x:    1024 numbers for each block, row by row.
// sums: 32 places for each block, one for each of its rows.
// Launch: blocks of one warp.

extern "C" __global__ void tile_row_sums(const int* x, int* sums) {
    __shared__ int tile[32][32];
    int lane = threadIdx.x;
    const int* own = x + blockIdx.x * 1024;

    for (int row = 0; row < 32; row++) {
        tile[row][lane] = own[32 * row + lane];
    }
    __syncthreads();

    // TODO: in each request of this loop, let the lanes read words from different
    // banks. You may change any line of the kernel.
    int sum = 0;
    for (int column = 0; column < 32; column++) {
        sum += tile[lane][column];
    }
    sums[blockIdx.x * 32 + lane] = sum;
}
