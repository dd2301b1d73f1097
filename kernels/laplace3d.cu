// Laplace's equation in three dimensions by Jacobi steps: a point on the surface keeps its value, and every other point
// becomes the mean of its six neighbours. The points are stored row after row, plane after plane.
//
//   jacobi3d_lines          One thread for each line of points through all planes: few threads, each with a long
//                           loop.
//   jacobi3d_points         One thread for each point: as many threads as points, each of which works out its place.
//   jacobi3d_points_double  The same with a factor of 1.0 / 6.0, a double that no float equals.
//
// Launch: jacobi3d_lines, two-dimensional, a thread for each point of a plane; jacobi3d_points*, three-dimensional, a
// thread for each point.
// Preconditions: u and next hold width * height * depth points.
//
// builds: sm_70

__device__ float sum_of_six(const float* __restrict__ u, int at, int row, int plane) {
    return u[at - 1] + u[at + 1] + u[at - row] + u[at + row] + u[at - plane] + u[at + plane];
}

__device__ bool is_on_surface(int x, int y, int z, int width, int height, int depth) {
    return x == 0 || x == width - 1 || y == 0 || y == height - 1 || z == 0 || z == depth - 1;
}

// ANCHOR: jacobi3d_lines
extern "C" __global__ void jacobi3d_lines(
    int width, int height, int depth, const float* __restrict__ u, float* __restrict__ next) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int plane = width * height;
    int at = y * width + x;
#pragma unroll 1
    for (int z = 0; z < depth; z++) {
        if (is_on_surface(x, y, z, width, height, depth)) {
            next[at] = u[at];
        } else {
            next[at] = 1.0f / 6.0f * sum_of_six(u, at, width, plane);
        }
        at += plane;
    }
}
// ANCHOR_END: jacobi3d_lines

// ANCHOR: jacobi3d_points
extern "C" __global__ void jacobi3d_points(
    int width, int height, int depth, const float* __restrict__ u, float* __restrict__ next) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= width || y >= height || z >= depth) return;

    int plane = width * height;
    int at = z * plane + y * width + x;
    if (is_on_surface(x, y, z, width, height, depth)) {
        next[at] = u[at];
    } else {
        next[at] = 1.0f / 6.0f * sum_of_six(u, at, width, plane);
    }
}
// ANCHOR_END: jacobi3d_points

// ANCHOR: jacobi3d_points_double
extern "C" __global__ void jacobi3d_points_double(
    int width, int height, int depth, const float* __restrict__ u, float* __restrict__ next) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= width || y >= height || z >= depth) return;

    int plane = width * height;
    int at = z * plane + y * width + x;
    if (is_on_surface(x, y, z, width, height, depth)) {
        next[at] = u[at];
    } else {
        next[at] = 1.0 / 6.0 * sum_of_six(u, at, width, plane);  // 1.0 / 6.0 is a double
    }
}
// ANCHOR_END: jacobi3d_points_double
