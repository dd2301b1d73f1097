// Sorts each row of 32 numbers, with a warp for each row. A lane's rank is the
// number of lanes of its warp whose value has to come before its own; the rank
// is where its value goes.
//
// Launch: blocks of 64 threads, a grid that covers n. The last row may be
// shorter than 32: lanes without an element bring the largest number there is,
// so these end up after all others.

const unsigned ALL_LANES = 0xfffffff;

extern "C" __global__ void sort_by_rank(const int* in, int* out, int n) {
    __shared__ int value[64], sorted[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = threadIdx.x / 32 * 32, lane = threadIdx.x % 32;

    int mine = i < n ? in[i] : 0x7fffffff;
    value[threadIdx.x] = mine;
    __syncwarp(ALL_LANES);

    int rank = 0;
    for (int other = 0; other < 32; other++) {
        int theirs = value[row + other];
        if (theirs < mine || (theirs == mine && other < lane)) rank++;
    }
    sorted[row + rank] = mine;
    __syncwarp(ALL_LANES);

    if (i < n) out[i] = sorted[row + lane];
}
