// Each element of a block moves one place to the left; the first becomes the last. SKIP takes the barrier out.
extern "C" __global__ void shift(float* x) {
    __shared__ float part[256];
    part[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
#ifndef SKIP
    __syncthreads();
#endif
    x[blockIdx.x * blockDim.x + threadIdx.x] = part[(threadIdx.x + 1) % blockDim.x];
}
