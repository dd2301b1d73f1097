// High-water marks: each element becomes the greatest of its row so far, up to
// and including itself.
//
// Warp r has row r, which is `width` numbers long, and goes along it in pieces
// of 32. The last piece of a row may be shorter. Any int may be in a row.
//
// Launch: blocks of 64 threads, two rows each.

#define FULL 0xffffffff
#define LOWEST (-0x7fffffff - 1)

extern "C" __global__ void high_water(const int* in, int* high, int width) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 2 + threadIdx.x / 32;
    const int* from = in + row * width;
    int* to = high + row * width;

//= solution
    int before = LOWEST;  // the greatest of all pieces before this one
#pragma unroll 1  // one copy of the loop's body is enough
    for (int start = 0; start < width; start += 32) {
        int i = start + lane;
        int most = i < width ? from[i] : LOWEST;
        for (int offset = 1; offset < 32; offset *= 2) {
            most = max(most, __shfl_up_sync(FULL, most, offset));
        }
        most = max(most, before);
        if (i < width) to[i] = most;
        before = __shfl_sync(FULL, most, 31);
    }
//= starter
//    // TODO: go along the row, 32 elements at a time, and store the marks.
//= wrong lanes_leave
//    int before = LOWEST;
//    for (int i = lane; i < width; i += 32) {
//        int most = from[i];
//        for (int offset = 1; offset < 32; offset *= 2) {
//            most = max(most, __shfl_up_sync(FULL, most, offset));
//        }
//        most = max(most, before);
//        to[i] = most;
//        before = __shfl_sync(FULL, most, 31);
//    }
//= wrong pieces_forget
//    for (int start = 0; start < width; start += 32) {
//        int i = start + lane;
//        int most = i < width ? from[i] : LOWEST;
//        for (int offset = 1; offset < 32; offset *= 2) {
//            most = max(most, __shfl_up_sync(FULL, most, offset));
//        }
//        if (i < width) to[i] = most;
//    }
//= wrong own_mark_carried
//    int before = LOWEST;
//    for (int start = 0; start < width; start += 32) {
//        int i = start + lane;
//        int most = i < width ? from[i] : LOWEST;
//        for (int offset = 1; offset < 32; offset *= 2) {
//            most = max(most, __shfl_up_sync(FULL, most, offset));
//        }
//        most = max(most, before);
//        if (i < width) to[i] = most;
//        before = most;
//    }
//= wrong nothing_is_zero
//    int before = 0;
//    for (int start = 0; start < width; start += 32) {
//        int i = start + lane;
//        int most = i < width ? from[i] : 0;
//        for (int offset = 1; offset < 32; offset *= 2) {
//            most = max(most, __shfl_up_sync(FULL, most, offset));
//        }
//        most = max(most, before);
//        if (i < width) to[i] = most;
//        before = __shfl_sync(FULL, most, 31);
//    }
//= wrong both_ways
//    int before = LOWEST;
//    for (int start = 0; start < width; start += 32) {
//        int i = start + lane;
//        int most = i < width ? from[i] : LOWEST;
//        for (int mask = 1; mask < 32; mask *= 2) {
//            most = max(most, __shfl_xor_sync(FULL, most, mask));
//        }
//        most = max(most, before);
//        if (i < width) to[i] = most;
//        before = __shfl_sync(FULL, most, 31);
//    }
//= wrong own_element_only
//    int before = LOWEST;
//    for (int start = 0; start < width; start += 32) {
//        int i = start + lane;
//        int own = i < width ? from[i] : LOWEST;
//        int most = own;
//        for (int offset = 1; offset < 32; offset *= 2) {
//            most = max(most, __shfl_up_sync(FULL, own, offset));
//        }
//        most = max(most, before);
//        if (i < width) to[i] = most;
//        before = __shfl_sync(FULL, most, 31);
//    }
//= wrong each_from_the_start
//    for (int i = lane; i < width; i += 32) {
//        int most = from[i];
//        for (int k = 0; k < i; k++) most = max(most, from[k]);
//        to[i] = most;
//    }
//= wrong lane_after_lane
//    int before = LOWEST;
//    for (int start = 0; start < width; start += 32) {
//        int i = start + lane;
//        int own = i < width ? from[i] : LOWEST;
//        for (int source = 0; source < 32; source++) {
//            before = max(before, __shfl_sync(FULL, own, source));
//            if (lane == source && i < width) to[i] = before;
//        }
//    }
//= end
}
