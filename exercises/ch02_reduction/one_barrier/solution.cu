// The sum of each block's numbers.
//
// x:    256 numbers for each block.
// sums: one place for each block.
// Launch: blocks of 256 threads, which form eight warps.

extern "C" __global__ void sums_of_blocks(const int* x, int* sums) {
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = x[blockIdx.x * 256 + t];

//= solution
    __shared__ int of_warp[8];
    int lane = t % 32, warp = t / 32;

    // Each warp adds up its own 32 numbers, so it waits for no other warp.
    __syncwarp();
    for (int half = 16; half > 0; half /= 2) {
        if (lane < half) part[t] += part[t + half];
        __syncwarp();
    }
    if (lane == 0) of_warp[warp] = part[t];
    __syncthreads();

    if (t == 0) {
        int sum = 0;
        for (int w = 0; w < 8; w++) sum += of_warp[w];
        sums[blockIdx.x] = sum;
    }
//= starter
//    // TODO: get by with a single __syncthreads().
//    __syncthreads();
//    for (int half = 128; half > 0; half /= 2) {
//        if (t < half) part[t] += part[t + half];
//        __syncthreads();
//    }
//    if (t == 0) sums[blockIdx.x] = part[0];
//= wrong one_thread_for_all
//    __syncthreads();
//    if (t == 0) {
//        int sum = 0;
//        for (int i = 0; i < 256; i++) sum += part[i];
//        sums[blockIdx.x] = sum;
//    }
//= wrong last_warp_alone
//    __syncthreads();
//    for (int half = 128; half > 16; half /= 2) {
//        if (t < half) part[t] += part[t + half];
//        __syncthreads();
//    }
//    for (int half = 16; half > 0; half /= 2) {
//        if (t < half) part[t] += part[t + half];
//        __syncwarp();
//    }
//    if (t == 0) sums[blockIdx.x] = part[0];
//= wrong warps_do_not_wait
//    __syncthreads();
//    for (int half = 128; half > 0; half /= 2) {
//        if (t < half) part[t] += part[t + half];
//        __syncwarp();
//    }
//    if (t == 0) sums[blockIdx.x] = part[0];
//= wrong not_even_the_lanes
//    int lane = t % 32;
//    for (int half = 16; half > 0; half /= 2) {
//        if (lane < half) part[t] += part[t + half];
//    }
//    __syncthreads();
//    if (t == 0) {
//        int sum = 0;
//        for (int w = 0; w < 8; w++) sum += part[32 * w];
//        sums[blockIdx.x] = sum;
//    }
//= wrong sums_of_no_warp
//    __shared__ int of_warp[32];
//    int lane = t % 32, warp = t / 32;
//    __syncwarp();
//    for (int half = 16; half > 0; half /= 2) {
//        if (lane < half) part[t] += part[t + half];
//        __syncwarp();
//    }
//    if (lane == 0) of_warp[warp] = part[t];
//    __syncthreads();
//    if (warp > 0) return;
//    for (int half = 16; half > 0; half /= 2) {
//        if (lane < half) of_warp[lane] += of_warp[lane + half];
//        __syncwarp();
//    }
//    if (lane == 0) sums[blockIdx.x] = of_warp[0];
//= end
}
