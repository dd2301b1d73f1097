// The sum of each block's part of a list. Each thread adds four numbers by
// itself before the rounds begin.
//
// x:    n numbers. A block's part has 256 of them, the last part may have fewer.
// sums: one place for each block.
// Launch: blocks of 64 threads, one block for each part.

extern "C" __global__ void sums_by_four(const int* x, int* sums, int n) {
    __shared__ int part[64];
    int t = threadIdx.x;
    int first = blockIdx.x * 256;

//= solution
    // In each turn of this loop, the lanes of a warp read neighbours.
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        int i = first + k * 64 + t;
        if (i < n) sum += x[i];
    }
//= starter
//    // TODO: read the same 256 numbers, with a quarter of the sectors.
//    int sum = 0;
//    for (int k = 0; k < 4; k++) {
//        int i = first + 4 * t + k;
//        if (i < n) sum += x[i];
//    }
//= wrong two_at_once
//    int sum = 0;
//    for (int k = 0; k < 4; k += 2) {
//        int i = first + 4 * t + k;
//        if (i + 1 < n) {
//            int2 two = *(const int2*)(x + i);
//            sum += two.x + two.y;
//        } else if (i < n) {
//            sum += x[i];
//        }
//    }
//= wrong atomic_loads
//    int sum = 0;
//    for (int k = 0; k < 4; k++) {
//        int i = first + 4 * t + k;
//        if (i < n) sum += atomicAdd((int*)&x[i], 0);
//    }
//= wrong four_at_once_past_the_end
//    int sum = 0;
//    if (first + 4 * t < n) {
//        int4 four = *(const int4*)(x + first + 4 * t);
//        sum = four.x + four.y + four.z + four.w;
//    }
//= wrong across_the_grid
//    int sum = 0;
//    for (int k = 0; k < 4; k++) {
//        int i = blockIdx.x * 64 + k * gridDim.x * 64 + t;
//        if (i < n) sum += x[i];
//    }
//= wrong a_warp_apart
//    int sum = 0;
//    for (int k = 0; k < 4; k++) {
//        int i = first + k * 32 + t;
//        if (i < n) sum += x[i];
//    }
//= end

    part[t] = sum;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
