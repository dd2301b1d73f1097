// Smooths a picture row by row, with a warp for each row. In each round every
// element becomes the sum of twice itself and its two neighbours in its row,
// which is closed to a ring. After the rounds one warp adds up all four rows.
//
// Launch: blocks of 128 threads, four rows each. `columns` holds 32 sums for
// each block.

extern "C" __global__ void smooth_rows(const int* in, int* columns,
                                       int rounds) {
    __shared__ int cell[128];
    int t = threadIdx.x, lane = t % 32, row = t - lane;
    int left = row + (lane + 31) % 32, right = row + (lane + 1) % 32;

    cell[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int round = 0; round < rounds; round++) {
        int next = cell[left] + 2 * cell[t] + cell[right];
        __syncthreads();
        cell[t] = next;
        __syncthreads();
    }

    if (row == 0) {
        int sum = cell[lane];
        for (int k = 1; k < 4; k++) sum += cell[32 * k + lane];
        columns[blockIdx.x * 32 + lane] = sum;
    }
}
