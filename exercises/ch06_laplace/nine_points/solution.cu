// Each point becomes the sum of the three by three points around it.
//
// `u` has a frame of one point on each side: rows of `width + 2` floats, and
// one more row above and below. `next` has no frame, and `width` floats a row.
// Launch: blocks of 32 x 8 threads that cover the points of `next` exactly.
extern "C" __global__ void sum_of_nine(const float* u, float* next, int width) {
    __shared__ float tile[10][34];
    int pitch = width + 2;
    // The place in `u` that corresponds to tile[0][0].
    const float* corner = u + blockIdx.y * 8 * pitch + blockIdx.x * 32;

//= solution
    int thread = threadIdx.y * 32 + threadIdx.x;
    for (int k = thread; k < 10 * 34; k += 256) {
        int row = k / 34;
        int column = k % 34;
        tile[row][column] = corner[row * pitch + column];
    }
    __syncthreads();
//= starter
//    // TODO: fill the tile from `corner` on, all 10 rows of 34 points.
//= wrong one_round
//    int k = threadIdx.y * 32 + threadIdx.x;
//    if (k < 10 * 34) tile[k / 34][k % 34] = corner[k / 34 * pitch + k % 34];
//    __syncthreads();
//= wrong without_corners
//    int row = threadIdx.y + 1;
//    int column = threadIdx.x + 1;
//    const float* own = corner + row * pitch + column;
//    tile[row][column] = *own;
//    if (column == 1) tile[row][0] = own[-1];
//    if (column == 32) tile[row][33] = own[1];
//    if (row == 1) tile[0][column] = own[-pitch];
//    if (row == 8) tile[9][column] = own[pitch];
//    __syncthreads();
//= wrong no_wait
//    int thread = threadIdx.y * 32 + threadIdx.x;
//    for (int k = thread; k < 10 * 34; k += 256) {
//        tile[k / 34][k % 34] = corner[k / 34 * pitch + k % 34];
//    }
//= wrong each_its_nine
//    for (int k = 0; k < 9; k++) {
//        int row = threadIdx.y + k / 3;
//        int column = threadIdx.x + k % 3;
//        tile[row][column] = corner[row * pitch + column];
//    }
//    __syncthreads();
//= wrong without_the_tile
//= wrong atomic_loads
//= end

    float sum = 0.0f;
    for (int down = 0; down < 3; down++) {
        for (int along = 0; along < 3; along++) {
            int row = threadIdx.y + down, column = threadIdx.x + along;
//= solution
            sum += tile[row][column];
//= wrong without_the_tile
//            sum += corner[row * pitch + column];
//= wrong atomic_loads
//            sum += atomicAdd((float*)&corner[row * pitch + column], 0.0f);
//= end
        }
    }
    int y = blockIdx.y * 8 + threadIdx.y;
    next[y * width + blockIdx.x * 32 + threadIdx.x] = sum;
}
