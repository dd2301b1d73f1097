// How far each point is from its four neighbours: their sum minus four times
// its own value. Everything outside the picture counts as 0.
//
// `u` and `away` hold `width * height` floats, row after row.
// Launch: blocks of 16 x 8 threads that cover the picture; the last ones may
// overhang it on the right and below.
__device__ float value(const float* u, int x, int y, int width, int height) {
//= solution
    bool inside = x >= 0 && x < width && y >= 0 && y < height;
    return inside ? u[y * width + x] : 0.0f;
//= starter
//    if (x >= width || y >= height) return 0.0f;
//    return u[y * width + x];
//= wrong rows_only
//    if (x >= width || y < 0 || y >= height) return 0.0f;
//    return u[y * width + x];
//= wrong range_of_index
//    int at = y * width + x;
//    return at >= 0 && at < width * height ? u[at] : 0.0f;
//= wrong nearest_point
//    x = min(max(x, 0), width - 1);
//    y = min(max(y, 0), height - 1);
//    return u[y * width + x];
//= end
}

extern "C" __global__ void from_neighbours(const float* u, float* away,
                                           int width, int height) {
    __shared__ float tile[8 + 2][16 + 2];
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 8 + threadIdx.y;
    int column = threadIdx.x + 1;
    int row = threadIdx.y + 1;

    tile[row][column] = value(u, x, y, width, height);
    if (column == 1) tile[row][0] = value(u, x - 1, y, width, height);
    if (column == 16) tile[row][17] = value(u, x + 1, y, width, height);
    if (row == 1) tile[0][column] = value(u, x, y - 1, width, height);
    if (row == 8) tile[9][column] = value(u, x, y + 1, width, height);
    __syncthreads();

    if (x >= width || y >= height) return;
    float beside = tile[row][column - 1] + tile[row][column + 1];
    float above_and_below = tile[row - 1][column] + tile[row + 1][column];
    away[y * width + x] = beside + above_and_below - 4.0f * tile[row][column];
}
