// Turned rows: a warp reverses its row of 32 if any element is negative.
//
// Each lane stores its element in shared memory, and the warp votes. If the row
// is to be reversed, lane l takes what lane 31 - l has stored.
//
// Given: blocks of 64 threads, two rows each.

#define FULL 0xffffffff

extern "C" __global__ void turned_rows(const int* in, int* out) {
//= solution
    __shared__ int seat[64];
//= wrong volatile_seat
//    volatile __shared__ int seat[64];
//= end
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int first = threadIdx.x - lane;
    int value = in[i];

//= solution
    seat[threadIdx.x] = value;
//= wrong atomic_seat
//    atomicExch(&seat[threadIdx.x], value);
//= end
//= solution
    bool turn = __any_sync(FULL, value < 0);
    __syncwarp();
    if (turn) value = seat[first + 31 - lane];
    out[i] = value;
//= starter
//    bool turn = __any_sync(FULL, value < 0);
//    if (turn) value = seat[first + 31 - lane];
//    out[i] = value;
//= wrong volatile_seat
//    bool turn = __any_sync(FULL, value < 0);
//    if (turn) value = seat[first + 31 - lane];
//    out[i] = value;
//= wrong atomic_seat
//    bool turn = __any_sync(FULL, value < 0);
//    if (turn) value = atomicAdd(&seat[first + 31 - lane], 0);
//    out[i] = value;
//= wrong second_vote
//    bool turn = __any_sync(FULL, value < 0);
//    __all_sync(FULL, true);
//    if (turn) value = seat[first + 31 - lane];
//    out[i] = value;
//= wrong fence
//    bool turn = __any_sync(FULL, value < 0);
//    __threadfence_block();
//    if (turn) value = seat[first + 31 - lane];
//    out[i] = value;
//= wrong barrier_behind
//    bool turn = __any_sync(FULL, value < 0);
//    if (turn) value = seat[first + 31 - lane];
//    __syncwarp();
//    out[i] = value;
//= wrong lower_half
//    bool turn = __any_sync(FULL, value < 0);
//    if (lane < 16) __syncwarp(0x0000ffff);
//    if (turn) value = seat[first + 31 - lane];
//    out[i] = value;
//= end
}
