// Lanes of one warp shuffle inside a branch. Every lane offers its own
// number.

extern "C" __global__ void missing_source(int* own) {
    int lane = threadIdx.x;
    int got = -1;
    if (lane < 20) {
        got = __shfl_down_sync(0x000fffff, lane, 8, 16);      // (A)
    }
    own[lane] = got == lane;
}
