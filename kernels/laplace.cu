// Laplace's equation in two dimensions by Jacobi steps: a point on the border keeps its value, and every other point
// becomes the mean of its four neighbours. The points are stored row after row.
//
//   jacobi_whole           One thread for each point, on grids that whole blocks cover exactly: no thread is outside.
//   jacobi_whole_double    The same with a factor of 0.25, a double: the sum becomes a double, and the product a float.
//   jacobi_border_first    Any size, but wrong: it tests for the border before it tests for the grid, and a thread
//                          outside the grid can be in a column or a row of the border.
//   jacobi_guarded         The same with the tests in the right order: threads outside the grid leave first.
//   jacobi_framed          A frame around the points, so that each has four neighbours: there is no test at all.
//   jacobi_tile            The same through shared memory: a block loads each value once, waits, and takes means.
//   jacobi_tile_no_wait    The same without the barrier.
//   jacobi_rim_branch      The border has work of its own, `rounds` turns long: one kernel, with a branch.
//   jacobi_inside          The first of two kernels for the same: the points that are not on the border.
//   jacobi_rim             The second of them: the border alone, with threads numbered around it.
//   jacobi_solve           Many steps in one block, which keeps its points in shared memory.
//
// Launch: two-dimensional, one thread for each point, any shape of block; jacobi_whole*, jacobi_framed and jacobi_tile*
// in whole blocks only. jacobi_rim: one-dimensional, 2 * (width + height - 2) threads. jacobi_solve: one block with a
// thread for each point that is not on the border. jacobi_solve and jacobi_tile* take shared memory for the points of a
// block and those around it, (blockDim.x + 2) * (blockDim.y + 2) floats.
// Preconditions: u and next hold width * height points. With a frame: `pitch` floats a row, of which MARGIN before and
// MARGIN after the points, and one row above and one below them. jacobi_rim*, jacobi_inside: width, height >= 2, and
// values on the border from 0 to below 1.
//
// A step reads one array and writes the other, so no thread can read a value of the step that it computes.
//
// builds: sm_70, sm_70-debug

// ANCHOR: mean
__device__ float mean(const float* __restrict__ u, int at, int pitch) {
    return 0.25f * (u[at - 1] + u[at + 1] + u[at - pitch] + u[at + pitch]);
}
// ANCHOR_END: mean

__device__ bool is_on_border(int x, int y, int width, int height) {
    return x == 0 || x == width - 1 || y == 0 || y == height - 1;
}

// ANCHOR: jacobi_whole
extern "C" __global__ void jacobi_whole(int width, int height, const float* __restrict__ u, float* __restrict__ next) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int at = y * width + x;
    if (is_on_border(x, y, width, height)) {
        next[at] = u[at];
    } else {
        next[at] = mean(u, at, width);
    }
}
// ANCHOR_END: jacobi_whole

// ANCHOR: jacobi_whole_double
__device__ float mean_by_double(const float* __restrict__ u, int at, int pitch) {
    return 0.25 * (u[at - 1] + u[at + 1] + u[at - pitch] + u[at + pitch]);  // 0.25 is a double
}

extern "C" __global__ void jacobi_whole_double(
    int width, int height, const float* __restrict__ u, float* __restrict__ next) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int at = y * width + x;
    if (is_on_border(x, y, width, height)) {
        next[at] = u[at];
    } else {
        next[at] = mean_by_double(u, at, width);
    }
}
// ANCHOR_END: jacobi_whole_double

// ANCHOR: jacobi_border_first
extern "C" __global__ void jacobi_border_first(
    int width, int height, const float* __restrict__ u, float* __restrict__ next) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int at = y * width + x;
    if (is_on_border(x, y, width, height)) {  // is it on the border?
        next[at] = u[at];
    } else if (x < width && y < height) {  // is it on the grid?
        next[at] = mean(u, at, width);
    }
}
// ANCHOR_END: jacobi_border_first

// ANCHOR: jacobi_guarded
extern "C" __global__ void jacobi_guarded(
    int width, int height, const float* __restrict__ u, float* __restrict__ next) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int at = y * width + x;
    if (is_on_border(x, y, width, height)) {
        next[at] = u[at];
    } else {
        next[at] = mean(u, at, width);
    }
}
// ANCHOR_END: jacobi_guarded

// ANCHOR: jacobi_framed
// Floats to the left and to the right of a row. Each margin is a whole sector, so that rows stay aligned.
#define MARGIN 8

__device__ int framed(int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    return (y + 1) * pitch + MARGIN + x;
}

extern "C" __global__ void jacobi_framed(int pitch, const float* __restrict__ u, float* __restrict__ next) {
    int at = framed(pitch);
    next[at] = mean(u, at, pitch);
}
// ANCHOR_END: jacobi_framed

// ANCHOR: jacobi_tile
extern __shared__ float tile[];

// Each thread loads its own point, and threads at the edges of the block also load the neighbour outside. Returns the
// thread's place in the tile.
__device__ int load_tile(const float* __restrict__ u, int at, int pitch) {
    int width = blockDim.x + 2;
    int spot = (threadIdx.y + 1) * width + threadIdx.x + 1;
    tile[spot] = u[at];
    if (threadIdx.x == 0) tile[spot - 1] = u[at - 1];
    if (threadIdx.x == blockDim.x - 1) tile[spot + 1] = u[at + 1];
    if (threadIdx.y == 0) tile[spot - width] = u[at - pitch];
    if (threadIdx.y == blockDim.y - 1) tile[spot + width] = u[at + pitch];
    return spot;
}

extern "C" __global__ void jacobi_tile(int pitch, const float* __restrict__ u, float* __restrict__ next) {
    int at = framed(pitch);
    int spot = load_tile(u, at, pitch);
    __syncthreads();
    next[at] = mean(tile, spot, blockDim.x + 2);
}
// ANCHOR_END: jacobi_tile

// ANCHOR: jacobi_tile_no_wait
extern "C" __global__ void jacobi_tile_no_wait(int pitch, const float* __restrict__ u, float* __restrict__ next) {
    int at = framed(pitch);
    int spot = load_tile(u, at, pitch);
    next[at] = mean(tile, spot, blockDim.x + 2);  // other threads may still be loading its neighbours
}
// ANCHOR_END: jacobi_tile_no_wait

// ANCHOR: jacobi_rim_branch
// Work for the border, as long as we like and exact: steps around a circle of length 1.
__device__ float around(float value, int rounds) {
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        value += 0.625f;
        if (value >= 1.0f) value -= 1.0f;
    }
    return value;
}

extern "C" __global__ void jacobi_rim_branch(
    int width, int height, int rounds, const float* __restrict__ u, float* __restrict__ next) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int at = y * width + x;
    if (is_on_border(x, y, width, height)) {
        next[at] = around(u[at], rounds);
    } else {
        next[at] = mean(u, at, width);
    }
}
// ANCHOR_END: jacobi_rim_branch

// ANCHOR: jacobi_inside
extern "C" __global__ void jacobi_inside(int width, int height, const float* __restrict__ u, float* __restrict__ next) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1) return;

    int at = y * width + x;
    next[at] = mean(u, at, width);
}
// ANCHOR_END: jacobi_inside

// ANCHOR: jacobi_rim
extern "C" __global__ void jacobi_rim(
    int width, int height, int rounds, const float* __restrict__ u, float* __restrict__ next) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= 2 * (width + height - 2)) return;

    int x, y;
    if (k < 2 * width) {  // the first and the last row
        y = k < width ? 0 : height - 1;
        x = k < width ? k : k - width;
    } else {  // the rest of the first and the last column
        k -= 2 * width;
        y = 1 + k / 2;
        x = k % 2 == 0 ? 0 : width - 1;
    }
    int at = y * width + x;
    next[at] = around(u[at], rounds);
}
// ANCHOR_END: jacobi_rim

// ANCHOR: jacobi_solve
extern "C" __global__ void jacobi_solve(int steps, float* u) {
    int side = blockDim.x + 2;
    int at = (threadIdx.y + 1) * side + threadIdx.x + 1;
    int spot = load_tile(u, at, side);
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        float value = mean(tile, spot, side);
        __syncthreads();  // every thread has read its neighbours
        tile[spot] = value;
        __syncthreads();  // every thread has written its point
    }
    u[at] = tile[spot];
}
// ANCHOR_END: jacobi_solve
