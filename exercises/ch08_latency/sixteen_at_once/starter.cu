// y[i] = 3 * x[i] + 1 for n readings.
//
// x, y: n readings each; both arrays begin at a multiple of 16 bytes.
// Launch: blocks of 64 threads, a thread for each four readings.

extern "C" __global__ void scale_by_four(const int* x, int* y, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);

    // TODO: the readings i to i + 3, as far as there are that many, with one load and one store of sixteen bytes
    // wherever a thread has all four.
}
