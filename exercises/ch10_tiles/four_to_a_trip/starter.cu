// C = A B with tiles of 32 by 32 in shared memory. A block of 32 times 8 threads
// computes 32 by 32 elements, so each thread has four: rows y, y + 8, y + 16 and
// y + 24 of column x. B has n rows and n columns, and n is a multiple of 32; A has
// n columns, and 32 rows for each row of blocks.

extern "C" __global__ void four_to_a_trip(const int* a, const int* b, int* c,
                                          int n) {
    __shared__ int tile_a[32][32], tile_b[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    a += blockIdx.y * 32 * n, b += blockIdx.x * 32;
    c += blockIdx.y * 32 * n + blockIdx.x * 32;
    int sums[4] = {};

    for (int first = 0; first < n; first += 32) {
        for (int i = 0; i < 32; i += 8) {
            tile_a[y + i][x] = a[(y + i) * n + first + x];
            tile_b[y + i][x] = b[(first + y + i) * n + x];
        }
        __syncthreads();
        for (int i = 0; i < 4; i++) {
#pragma unroll 1
            for (int k = 0; k < 32; k++) sums[i] += tile_a[y + 8 * i][k] * tile_b[k][x];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) c[(y + 8 * i) * n + x] = sums[i];
}
