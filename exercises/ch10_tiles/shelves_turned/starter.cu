// y = A x. A has 8 columns and 128 rows for each block of 32 threads, and lane l
// has rows 4l to 4l + 3 of them. All arrays are aligned to 16 bytes.

extern "C" __global__ void shelves_turned(const int* a, const int* x, int* y) {
    int lane = threadIdx.x;
    a += blockIdx.x * 1024, y += blockIdx.x * 128;
    int sums[4] = {};

    __shared__ int tile[128][8];
    for (int i = 0; i < 1024; i += 32) tile[(i + lane) / 8][lane % 8] = a[i + lane];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 8; k++) {
        for (int j = 0; j < 4; j++) sums[j] += tile[4 * lane + j][k] * x[k];
    }
    for (int j = 0; j < 4; j++) y[4 * lane + j] = sums[j];
}
