// A block of 12 by 5 threads.
//
// A row of this block is not a warp. The hardware numbers the threads of a block
// along x first, then along y, and every 32 of them form a warp.
//
// Each array has an element for each thread of the block, and starts as zeros.

extern "C" __global__ void draw(int* left, int* middle, int* below) {
    int x = threadIdx.x, y = threadIdx.y;
    int pixel = y * blockDim.x + x;

    if (x == 0)
        left[pixel] = y + 1;   // (A)

    if (y == 2)                // (B)
        middle[pixel] = x + 1;

    if (y > 2)
        below[pixel] = 7;      // (C)
}
