// `memcpy_async`.
#include <cuda/barrier>
__global__ void k(int* x) { cuda::memcpy_async(x, x + 1, 4, *x); }
