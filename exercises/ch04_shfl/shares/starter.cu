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
    // TODO: make `sum` the sum of the warp's 32 values, in every lane.

    if (i < n) share[i] = 1000 * value / sum;
}
