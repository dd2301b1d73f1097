// C = A B, with a thread for each element of C. All matrices have n rows of n
// ints. Blocks are 16 times 16 threads, and the grid covers C.

extern "C" __global__ void turned_product(const int* a, const int* b, int* c,
                                          int n) {
    int row = blockIdx.x * 16 + threadIdx.x;
    int column = blockIdx.y * 16 + threadIdx.y;
    if (row >= n || column >= n) return;

    int sum = 0;
    for (int k = 0; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}
