// The name of a function is misspelt.
extern "C" __global__ void kernel(int* x) {
    x[threadIdx.x] = 1;
    __syncthread();
}
