// A kernel calls a kernel.
extern "C" __global__ void first(int* x) {
    x[0] = 1;
}

extern "C" __global__ void second(int* x) {
    first(x);
}
