// The greatest before: each lane gets the greatest element of the lanes below it.
//
// Warp r has the elements 32 r to 32 r + 31 of in. out[i] becomes the greatest
// element of the same row before element i, without element i itself. The first
// element of a row has none before it and gets NONE. Threads past the end hold
// NONE.

#define FULL 0xffffffff
#define NONE (-2147483647 - 1)

extern "C" __global__ void greatest_before(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int value = i < n ? in[i] : NONE;

    int greatest = value;  // TODO: the greatest of the lanes below this one
    (void)lane;

    if (i < n) out[i] = greatest;
}
