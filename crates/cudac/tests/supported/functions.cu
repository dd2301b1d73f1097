// Functions, overloads, default arguments, references.
__device__ int f(int& x, int y = 2) { x += y; return x; }
__device__ float f(float x) { return x; }
__global__ void k(int* x) { int a = 1; x[0] = f(a) + (int)f(1.0f); }
