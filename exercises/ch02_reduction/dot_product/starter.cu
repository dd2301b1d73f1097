// The dot product of two lists, a[0] * b[0] + a[1] * b[1] + ..., with one sum
// for each part of the lists.
//
// a, b: n numbers each. A block's part has 512 of them, the last part may have
//       fewer.
// sums: one place for each block, for the sum of the products of its part.
// Launch: blocks of 128 threads, one block for each part.

extern "C" __global__ void dot_of_parts(const int* a, const int* b, int* sums,
                                        int n) {
    __shared__ int part[128];
    int t = threadIdx.x;
    int first = blockIdx.x * 512;
    int end = min(first + 512, n);

    // TODO: multiply, add up in part, and let one thread store the sum.
}
