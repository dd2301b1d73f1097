// The remainder of floats.
extern "C" __global__ void kernel(float* x) {
    x[threadIdx.x] = x[threadIdx.x] % 2.0f;
}
