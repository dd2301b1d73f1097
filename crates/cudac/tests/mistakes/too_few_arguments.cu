// An argument is missing.
extern "C" __global__ void kernel(int* x) {
    x[threadIdx.x] = __shfl_down_sync(0xffffffff, x[threadIdx.x]);
}
