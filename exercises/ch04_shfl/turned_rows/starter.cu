// Turned rows: a warp reverses its row of 32 if any element is negative.
//
// Each lane stores its element in shared memory, and the warp votes. If the row
// is to be reversed, lane l takes what lane 31 - l has stored.
//
// Given: blocks of 64 threads, two rows each.

#define FULL 0xffffffff

extern "C" __global__ void turned_rows(const int* in, int* out) {
    __shared__ int seat[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int first = threadIdx.x - lane;
    int value = in[i];

    seat[threadIdx.x] = value;
    bool turn = __any_sync(FULL, value < 0);
    if (turn) value = seat[first + 31 - lane];
    out[i] = value;
}
