// Sorts each row of 32 numbers, with a warp for each row. A lane's rank is the
// number of lanes of its warp whose value has to come before its own; the rank
// is where its value goes.
//
// Launch: blocks of 64 threads, a grid that covers n. The last row may be
// shorter than 32: lanes without an element bring the largest number there is,
// so these end up after all others.

//= solution
const unsigned ALL_LANES = 0xffffffff;
//= starter
//const unsigned ALL_LANES = 0xfffffff;
//= wrong digit_behind
//const unsigned ALL_LANES = 0xfffffff0;
//= wrong stay_away
//const unsigned ALL_LANES = 0xfffffff;
//= end

extern "C" __global__ void sort_by_rank(const int* in, int* out, int n) {
//= solution
    __shared__ int value[64], sorted[64];
//= wrong volatile_values
//    __shared__ volatile int value[64];
//    __shared__ int sorted[64];
//= wrong volatile_places
//    __shared__ int value[64];
//    __shared__ volatile int sorted[64];
//= end
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = threadIdx.x / 32 * 32, lane = threadIdx.x % 32;

    int mine = i < n ? in[i] : 0x7fffffff;
    value[threadIdx.x] = mine;
//= solution
    __syncwarp(ALL_LANES);
//= wrong stay_away
//    if (lane < 28) __syncwarp(ALL_LANES);
//= wrong who_is_active
//    __syncwarp(__activemask());
//= wrong volatile_values
//= wrong only_once
//= end

    int rank = 0;
    for (int other = 0; other < 32; other++) {
        int theirs = value[row + other];
        if (theirs < mine || (theirs == mine && other < lane)) rank++;
    }
    sorted[row + rank] = mine;
//= solution
    __syncwarp(ALL_LANES);
//= wrong stay_away
//    if (lane < 28) __syncwarp(ALL_LANES);
//= wrong who_is_active
//    __syncwarp(__activemask());
//= wrong volatile_places
//= end

    if (i < n) out[i] = sorted[row + lane];
}
