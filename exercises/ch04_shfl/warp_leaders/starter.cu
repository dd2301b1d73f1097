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
    int lane = threadIdx.x % 32;

    int sum = in[blockIdx.x * threads + thread];
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(FULL, sum, offset);
    }
    if (lane == 0) sums[(blockIdx.x * threads + thread) / 32] = sum;
}
