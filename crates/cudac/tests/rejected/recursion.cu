// recursion.
__device__ int f(int n) { return n < 2 ? 1 : n * f(n - 1); } __global__ void k(int* x) { x[0] = f(3); }
