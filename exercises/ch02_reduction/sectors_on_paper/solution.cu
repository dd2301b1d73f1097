// One warp reads the same array in four ways, with one load request each.
//
// x: 512 ints. The first one is at the beginning of a sector.
// y: one int for each lane.

extern "C" __global__ void four_ways(const int* x, int* y) {
    int lane = threadIdx.x;

    int sum = x[31 - lane];  // (A)
    sum += x[lane + 1];      // (B)
    sum += x[3 * lane];      // (C)
    sum += x[16 * lane];     // (D)
    y[lane] = sum;
}
