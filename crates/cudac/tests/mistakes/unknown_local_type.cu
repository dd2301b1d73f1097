// A type of a local variable that is misspelt.
extern "C" __global__ void kernel(float* x) {
    flaot sum = 0;
    x[threadIdx.x] = sum;
}
