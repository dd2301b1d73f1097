// `threadIdx` without a component.
extern "C" __global__ void kernel(int* x) {
    int i = blockIdx.x * blockDim.x + threadIdx;
    x[i] = i;
}
