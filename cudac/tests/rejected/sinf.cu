// the function `sinf`.
__global__ void k(float* x) { x[0] = sinf(x[0]); }
