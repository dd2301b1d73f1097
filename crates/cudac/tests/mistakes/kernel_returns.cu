// A kernel with a result.
extern "C" __global__ int kernel(int* x) {
    return x[threadIdx.x];
}
