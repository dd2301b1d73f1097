// One warp reads shared memory in four ways, with one load request each.
//
// x: 1024 ints, which are first copied to shared memory.
// y: one int for each lane.

extern "C" __global__ void four_distances(const int* x, int* y) {
    __shared__ int words[1024];
    int lane = threadIdx.x;
    for (int i = lane; i < 1024; i += 32) {
        words[i] = x[i];
    }
    __syncthreads();

    int sum = words[4 * lane];  // (A)
    sum += words[5 * lane];     // (B)
    sum += words[lane / 4];     // (C)
    sum += words[24 * lane];    // (D)
    y[lane] = sum;
}
