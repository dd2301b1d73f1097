// A parenthesis is missing.
extern "C" __global__ void kernel(int* x, int n) {
    if (threadIdx.x < n
        x[threadIdx.x] = 0;
}
