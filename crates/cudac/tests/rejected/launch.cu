// launching a kernel with `<<<`.
__global__ void k() {} __global__ void l() { k<<<1, 1>>>(); }
