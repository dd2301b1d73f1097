// Sums of rows: one warp adds up a row of 64 numbers.
//
// Each lane adds two numbers of the row by itself, and shuffles do the rest.
// Lane 0 stores the sum.
//
// Given: a row's sum fits into an int, and may be close to the largest one.

#define FULL 0xffffffff

extern "C" __global__ void row_sums(const int* in, int* sums, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;  // whole warps

    int sum = in[64 * row + lane] + in[64 * row + lane + 32];
    for (int offset = 32; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(FULL, sum, offset);
    }
    if (lane == 0) sums[row] = sum;
}
