// `volatile`, `__restrict__`, `__launch_bounds__`, `__forceinline__`, `__noinline__` (inlined nevertheless).
__forceinline__ __device__ int f() { return 1; }
__noinline__ __device__ int g() { return 2; }
__global__ void __launch_bounds__(256, 2) k(volatile int* __restrict__ x) { x[0] = f() + g(); }
