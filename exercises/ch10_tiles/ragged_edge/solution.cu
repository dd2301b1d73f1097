// C = A B with tiles of 16 by 16 in shared memory. All matrices have n rows of n
// ints, for any n. Blocks are 16 times 16 threads, and the grid covers C.

extern "C" __global__ void ragged_edge(const int* a, const int* b, int* c, int n) {
    __shared__ int tile_a[16][16], tile_b[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x, sum = 0;
//= solution
//= wrong returns_early
//    if (row >= n || column >= n) return;
//= end

    for (int first = 0; first < n; first += 16) {
//= solution
        tile_a[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
        tile_b[y][x] = first + y < n && column < n ? b[(first + y) * n + column] : 0;
//= starter
//        tile_a[y][x] = a[row * n + first + x];
//        tile_b[y][x] = b[(first + y) * n + column];
//= wrong returns_early
//        if (first + x < n) tile_a[y][x] = a[row * n + first + x];
//        if (first + y < n) tile_b[y][x] = b[(first + y) * n + column];
//= wrong guards_the_store_only
//        tile_a[y][x] = a[row * n + first + x];
//        tile_b[y][x] = b[(first + y) * n + column];
//= wrong wraps_around
//        tile_a[y][x] = a[min(row * n + first + x, n * n - 1)];
//        tile_b[y][x] = b[min((first + y) * n + column, n * n - 1)];
//= end
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
//= solution
    if (row < n && column < n) c[row * n + column] = sum;
//= starter
//    c[row * n + column] = sum;
//= wrong returns_early
//    c[row * n + column] = sum;
//= end
}
