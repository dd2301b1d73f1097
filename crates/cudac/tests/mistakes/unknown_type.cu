// A type that does not exist.
extern "C" __global__ void kernel(flaot* x) {
    x[threadIdx.x] = 0;
}
