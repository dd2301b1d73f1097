// The scan of a warp with its test left out, of two rows of 32 numbers.
//
// In the first row every lane has a 1. In the second only lane 0 has a 1, and
// the other lanes have a 0. right and row have a word for each lane.

#define FULL 0xffffffff

__device__ int scan_without_a_test(int sum) {
    for (int d = 1; d < 32; d *= 2) {
        sum += __shfl_up_sync(FULL, sum, d);  // no test of lane >= d
    }
    return sum;
}

extern "C" __global__ void without_a_test(int* right, int* row) {
    int lane = threadIdx.x;
    right[lane] = scan_without_a_test(1) == lane + 1;  // (A)
    row[lane] = scan_without_a_test(lane == 0);        // (B)
}
