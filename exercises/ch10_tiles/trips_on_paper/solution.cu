// A warp of 4 by 8 lanes multiplies tiles of 8 columns of A (transposed) and 8
// rows of B. At (A) a lane has one element of C, and at (B) and (C) four.

extern "C" __global__ void trips_on_paper(const int* a, int* c) {
    __shared__ __align__(16) int tile_a[8][8], tile_b[8][16];
    int lane = threadIdx.x, y = lane / 8, x = lane % 8, sum = 0;
    for (int i = lane; i < 64; i += 32) tile_a[i / 8][i % 8] = a[i];
    for (int i = lane; i < 128; i += 32) tile_b[i / 16][i % 16] = a[i];
    __syncthreads();

    for (int k = 0; k < 8; k++) {
        sum += tile_a[k][y] * tile_b[k][x];  // (A)
    }
    __syncthreads();

    for (int k = 0; k < 8; k++) {
        int a0 = tile_a[k][y], a1 = tile_a[k][y + 4], b0 = tile_b[k][x], b1 = tile_b[k][x + 8];  // (B)
        sum += a0 * b0 + a0 * b1 + a1 * b0 - a1 * b1;
    }
    __syncthreads();

    for (int k = 0; k < 8; k++) {
        int a0 = tile_a[k][y], a1 = tile_a[k][y + 4]; int2 b = *(const int2*)&tile_b[k][2 * x];  // (C)
        sum += a0 * b.x + a0 * b.y + a1 * b.x - a1 * b.y;
    }
    c[lane] = sum;
}
