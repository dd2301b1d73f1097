// `tex2D`.
__global__ void k(float* x) { x[0] = tex2D<float>(0, 1.0f, 2.0f); }
