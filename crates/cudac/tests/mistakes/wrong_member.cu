// A member that a type does not have.
extern "C" __global__ void kernel(float4* x, float* y) {
    y[threadIdx.x] = x[threadIdx.x].a;
}
