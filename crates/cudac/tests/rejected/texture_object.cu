// `cudaTextureObject_t`.
__global__ void k(cudaTextureObject_t image, float* x) { x[0] = tex1Dfetch<float>(image, 1); }
