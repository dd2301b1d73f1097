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

    // TODO: fill the tile from `corner` on, all 10 rows of 34 points.

    float sum = 0.0f;
    for (int down = 0; down < 3; down++) {
        for (int along = 0; along < 3; along++) {
            int row = threadIdx.y + down, column = threadIdx.x + along;
            sum += tile[row][column];
        }
    }
    int y = blockIdx.y * 8 + threadIdx.y;
    next[y * width + blockIdx.x * 32 + threadIdx.x] = sum;
}
