// The sums of 32 rows of 32 numbers, computed by one warp. It copies the rows to
// shared memory first, so that it reads neighbours in global memory.
//
// x:    1024 numbers for each block, row by row.
// sums: 32 places for each block, one for each of its rows.
// Launch: blocks of one warp.

extern "C" __global__ void tile_row_sums(const int* x, int* sums) {
//= solution
    // One word more than needed, so each row begins one bank further on.
    __shared__ int tile[32][33];
//= starter
//    __shared__ int tile[32][32];
//= wrong two_words_more
//    __shared__ int tile[32][34];
//= wrong the_other_way_in
//    __shared__ int tile[32][32];
//= wrong atomic_loads
//    __shared__ int tile[32][32];
//= wrong down_the_columns
//    __shared__ int tile[32][32];
//= end
    int lane = threadIdx.x;
    const int* own = x + blockIdx.x * 1024;

    for (int row = 0; row < 32; row++) {
//= solution
        tile[row][lane] = own[32 * row + lane];
//= wrong the_other_way_in
//        tile[lane][row] = own[32 * row + lane];
//= end
    }
    __syncthreads();

//= solution
//= starter
//    // TODO: in each request of this loop, let the lanes read words from different
//    // banks. You may change any line of the kernel.
//= end
    int sum = 0;
    for (int column = 0; column < 32; column++) {
//= solution
        sum += tile[lane][column];
//= wrong the_other_way_in
//        sum += tile[column][lane];
//= wrong atomic_loads
//        sum += atomicAdd(&tile[lane][column], 0);
//= wrong down_the_columns
//        sum += tile[column][lane];
//= end
    }
    sums[blockIdx.x * 32 + lane] = sum;
}
