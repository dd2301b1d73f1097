// `half`, `half2` and `__nv_bfloat16`: conversions, arithmetic and comparisons.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void k(half* x, half2* y, __nv_bfloat16* z) {
    x[0] = __float2half(__half2float(x[1]) + 1);
    if (x[0] < x[1]) y[0] = __hfma2(y[1], y[2], y[3]) + y[4];
    z[0] = __hfma(z[1], z[2], z[3]) * z[4];
}
