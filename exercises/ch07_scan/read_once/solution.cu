// The scan of each tile: y[i] becomes the sum of the elements of its tile up to
// x[i], itself included.
//
// A tile is four neighbouring elements for each thread of a block, and the last
// tile may have fewer. There are n elements. Blocks have 64 threads.

#define FULL 0xffffffff

// The sum of the values of all threads of the block before this one.
__device__ int sum_before(int own) {
    __shared__ int of_first_warp;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = own;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(FULL, sum, d);
        if (lane >= d) sum += left;
    }
    if (threadIdx.x == 31) of_first_warp = sum;
    __syncthreads();
    return warp == 0 ? sum - own : of_first_warp + sum - own;
}

extern "C" __global__ void read_once(const int* x, int* y, int n) {
    int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);

//= solution
    int own[4], sum = 0;
    for (int k = 0; k < 4; k++) {
        own[k] = first + k < n ? x[first + k] : 0;
        sum += own[k];
    }
    sum = sum_before(sum);
    for (int k = 0; k < 4; k++) {
        sum += own[k];
        if (first + k < n) y[first + k] = sum;
    }
//= starter
//    int sum = 0;
//    for (int k = 0; k < 4; k++) {
//        if (first + k < n) sum += x[first + k];
//    }
//    sum = sum_before(sum);
//    for (int k = 0; k < 4; k++) {
//        if (first + k < n) {
//            sum += x[first + k];
//            y[first + k] = sum;
//        }
//    }
//= wrong written_twice
//    int sum = 0;
//    for (int k = 0; k < 4; k++) {
//        if (first + k < n) {
//            sum += x[first + k];
//            y[first + k] = sum;
//        }
//    }
//    int before = sum_before(sum);
//    for (int k = 0; k < 4; k++) {
//        if (first + k < n) y[first + k] += before;
//    }
//= wrong a_block_apart
//    int own[4], sum = 0;
//    int start = 4 * blockIdx.x * blockDim.x + threadIdx.x;
//    for (int k = 0; k < 4; k++) {
//        int i = start + k * blockDim.x;
//        own[k] = i < n ? x[i] : 0;
//        sum += own[k];
//    }
//    sum = sum_before(sum);
//    for (int k = 0; k < 4; k++) {
//        int i = start + k * blockDim.x;
//        sum += own[k];
//        if (i < n) y[i] = sum;
//    }
//    (void)first;
//= wrong with_its_own_twice
//    int own[4], sum = 0;
//    for (int k = 0; k < 4; k++) {
//        own[k] = first + k < n ? x[first + k] : 0;
//        sum += own[k];
//    }
//    sum += sum_before(sum);
//    for (int k = 0; k < 4; k++) {
//        sum += own[k];
//        if (first + k < n) y[first + k] = sum;
//    }
//= wrong each_for_itself
//    int own[4];
//    for (int k = 0; k < 4; k++) own[k] = first + k < n ? x[first + k] : 0;
//    int before = sum_before(own[0] + own[1] + own[2] + own[3]);
//    for (int k = 0; k < 4; k++) {
//        if (first + k < n) y[first + k] = before + own[k];
//    }
//= end
}
