// Shares: how much of its warp's sum each element is, in thousandths.
//
// share[i] = 1000 * in[i] / sum, where sum is that of the 32 elements that the
// lanes of one warp hold. Threads past the end bring 0.
//
// Given: positive elements. All lanes of each warp reach the marked place.

#define FULL 0xffffffff

extern "C" __global__ void shares(const int* in, int* share, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? in[i] : 0;

    int sum = value;
//= solution
    for (int mask = 16; mask > 0; mask /= 2) {
        sum += __shfl_xor_sync(FULL, sum, mask);
    }
//= starter
//    // TODO: make `sum` the sum of the warp's 32 values, in every lane.
//= wrong down
//    for (int offset = 16; offset > 0; offset /= 2) {
//        sum += __shfl_down_sync(FULL, sum, offset);
//    }
//= wrong up_to_16
//    for (int mask = 1; mask < 16; mask *= 2) {
//        sum += __shfl_xor_sync(FULL, sum, mask);
//    }
//= wrong own_value
//    for (int mask = 16; mask > 0; mask /= 2) {
//        sum += __shfl_xor_sync(FULL, value, mask);
//    }
//= wrong who_is_active
//    for (int mask = 16; mask > 0; mask /= 2) {
//        sum += __shfl_xor_sync(__activemask(), sum, mask);
//    }
//= wrong one_lane_after_the_other
//    sum = 0;
//    for (int lane = 0; lane < 32; ++lane) {
//        sum += __shfl_sync(FULL, value, lane);
//    }
//= wrong in_shared_memory
//    __shared__ int part[128];
//    part[threadIdx.x] = value;
//    __syncwarp();
//    int first = threadIdx.x - threadIdx.x % 32;
//    sum = 0;
//    for (int lane = 0; lane < 32; ++lane) sum += part[first + lane];
//= end

    if (i < n) share[i] = 1000 * value / sum;
}
