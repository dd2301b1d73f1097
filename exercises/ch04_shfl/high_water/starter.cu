// High-water marks: each element becomes the greatest of its row so far, up to
// and including itself.
//
// Warp r has row r, which is `width` numbers long, and goes along it in pieces
// of 32. The last piece of a row may be shorter. Any int may be in a row.
//
// Launch: blocks of 64 threads, two rows each.

#define FULL 0xffffffff
#define LOWEST (-0x7fffffff - 1)

extern "C" __global__ void high_water(const int* in, int* high, int width) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 2 + threadIdx.x / 32;
    const int* from = in + row * width;
    int* to = high + row * width;

    // TODO: go along the row, 32 elements at a time, and store the marks.
}
