// `half`: conversions and single operations, done in single precision.
#include <cuda_fp16.h>
__global__ void k(half* x) { x[0] = x[1] + __float2half(2.0f); }
