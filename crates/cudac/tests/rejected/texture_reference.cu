// `texture`.
texture<float, 1> image;
__global__ void k(float* x) { x[0] = tex1Dfetch(image, 0); }
