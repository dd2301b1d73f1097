// One step of a product, k = 2, by a warp that covers 32 elements of C: in one
// row, in two, in eight, and in one column. Rows have 64 ints.

extern "C" __global__ void four_shapes(const int* a, const int* b, int* c) {
    int lane = threadIdx.x;
    int sum = a[2] * b[2 * 64 + lane];                             // (A)
    sum += a[lane / 16 * 64 + 2 + 8] * b[3 * 64 + lane % 16];      // (B)
    sum += a[lane / 4 * 64 + 2 + 16] * b[4 * 64 + lane % 4];       // (C)
    sum += a[lane * 64 + 2 + 24] * b[5 * 64];                      // (D)
    c[lane] = sum;
}
