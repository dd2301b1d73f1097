// y[i] = 3 * x[i] + 1 for n readings.
//
// x, y: n readings each; both arrays begin at a multiple of 16 bytes.
// Launch: blocks of 64 threads, a thread for each four readings.

extern "C" __global__ void scale_by_four(const int* x, int* y, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);

    // TODO: load and store sixteen bytes at once, wherever there are sixteen.
    for (int k = 0; k < 4; k++) {
        if (i + k < n) y[i + k] = 3 * x[i + k] + 1;
    }
}
