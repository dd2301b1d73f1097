// Sums of warps in blocks of any shape.
//
// Each thread of the block has one element, in the order in which CUDA numbers
// the threads. The first lane of each warp stores the sum of its warp in
// sums[block * warps of a block + warp].
//
// Given: blocks of any shape, with one, two or three dimensions, always of whole
// warps.

#define FULL 0xffffffff

extern "C" __global__ void warp_leaders(const int* in, int* sums) {
    int threads = blockDim.x * blockDim.y * blockDim.z;
    int row = threadIdx.z * blockDim.y + threadIdx.y;
    int thread = row * blockDim.x + threadIdx.x;
//= solution
    int lane = thread % 32;
//= starter
//    int lane = threadIdx.x % 32;
//= wrong remainder_of_the_row
//    int lane = thread % blockDim.x;
//= wrong two_dimensions
//    int lane = (threadIdx.y * blockDim.x + threadIdx.x) % 32;
//= wrong by_bits
//    int lane = threadIdx.x & 31;
//= wrong one_leader
//    int lane = thread;
//= end

    int sum = in[blockIdx.x * threads + thread];
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(FULL, sum, offset);
    }
    if (lane == 0) sums[(blockIdx.x * threads + thread) / 32] = sum;
}
