// C = A B with tiles of 16 by 16 in shared memory. All matrices have n rows of n
// ints, for any n. Blocks are 16 times 16 threads, and the grid covers C.

extern "C" __global__ void ragged_edge(const int* a, const int* b, int* c, int n) {
    __shared__ int tile_a[16][16], tile_b[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x, sum = 0;

    for (int first = 0; first < n; first += 16) {
        tile_a[y][x] = a[row * n + first + x];
        tile_b[y][x] = b[(first + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
