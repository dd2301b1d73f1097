// 256 threads look at points of a picture that is 64 floats wide. The array
// begins at the edge of a sector, and so does each of its rows.
//
// Launch: one block of 256 threads. Each thread loads from three places.
extern "C" __global__ void look_around(const float* u, float* seen) {
    int t = threadIdx.x;
    int wide = t / 32 * 64 + t % 32 + 8;   // 32 x 8: a warp is one row
    int narrow = t / 8 * 64 + t % 8 + 8;   // 8 x 32: a warp is four rows
    int down = t % 32 * 64 + t / 32 + 8;   // a warp is one column

    float a = u[wide - 1];    // (A)
    float b = u[narrow - 1];  // (B)
    float c = u[down];        // (C)
    seen[t] = a + b + c;
}
