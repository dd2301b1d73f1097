// A function without `__device__` is called from a kernel.
int twice(int x) {
    return 2 * x;
}

extern "C" __global__ void kernel(int* x) {
    x[threadIdx.x] = twice(x[threadIdx.x]);
}
