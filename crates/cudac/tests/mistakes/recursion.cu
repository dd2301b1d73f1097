// Recursion.
__device__ int factorial(int n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}

extern "C" __global__ void kernel(int* x) {
    x[0] = factorial(5);
}
