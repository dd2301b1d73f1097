// A semicolon is missing.
extern "C" __global__ void kernel(int* x) {
    int i = threadIdx.x
    x[i] = i;
}
