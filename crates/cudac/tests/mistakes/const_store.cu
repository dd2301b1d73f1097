// A store through a pointer to const.
extern "C" __global__ void kernel(const int* x) {
    x[threadIdx.x] = 0;
}
