// The greatest before: each lane gets the greatest element of the lanes below it.
//
// Warp r has the elements 32 r to 32 r + 31 of in. out[i] becomes the greatest
// element of the same row before element i, without element i itself. The first
// element of a row has none before it and gets NONE. Threads past the end hold
// NONE.

#define FULL 0xffffffff
#define NONE (-2147483647 - 1)

extern "C" __global__ void greatest_before(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int value = i < n ? in[i] : NONE;

//= solution
    int greatest = __shfl_up_sync(FULL, value, 1);
    if (lane == 0) greatest = NONE;
    for (int d = 1; d < 32; d *= 2) {
        greatest = max(greatest, __shfl_up_sync(FULL, greatest, d));
    }
//= starter
//    int greatest = value;  // TODO: the greatest of the lanes below this one
//    (void)lane;
//= wrong with_its_own
//    int greatest = value;
//    for (int d = 1; d < 32; d *= 2) {
//        greatest = max(greatest, __shfl_up_sync(FULL, greatest, d));
//    }
//    if (lane == 0) greatest = NONE;
//= wrong lane_0_keeps_its_own
//    int greatest = __shfl_up_sync(FULL, value, 1);
//    for (int d = 1; d < 32; d *= 2) {
//        greatest = max(greatest, __shfl_up_sync(FULL, greatest, d));
//    }
//    (void)lane;
//= wrong four_rounds
//    int greatest = __shfl_up_sync(FULL, value, 1);
//    if (lane == 0) greatest = NONE;
//    for (int d = 1; d < 16; d *= 2) {
//        greatest = max(greatest, __shfl_up_sync(FULL, greatest, d));
//    }
//= wrong zero_for_none
//    int greatest = __shfl_up_sync(FULL, value, 1);
//    if (lane == 0) greatest = 0;
//    for (int d = 1; d < 32; d *= 2) {
//        greatest = max(greatest, __shfl_up_sync(FULL, greatest, d));
//    }
//    if (lane == 0) greatest = NONE;
//= wrong lane_by_lane
//    int greatest = NONE;
//    for (int other = 0; other < 32; other++) {
//        int theirs = __shfl_sync(FULL, value, other);
//        if (other < lane) greatest = max(greatest, theirs);
//    }
//= end

    if (i < n) out[i] = greatest;
}
