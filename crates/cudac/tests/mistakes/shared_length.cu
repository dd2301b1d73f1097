// The length of a shared array is not a constant.
extern "C" __global__ void kernel(int* x, int n) {
    __shared__ int part[n];
    part[threadIdx.x] = x[threadIdx.x];
}
