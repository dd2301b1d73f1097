// It should print the largest of some negative numbers, -1.5.
#include <stdio.h>

__device__ int ordered(float x)
{
    int bits = __float_as_int(x);
    return bits;
}

__global__ void largest(const float *x, int *best)
{
    atomicMax(best, ordered(x[threadIdx.x]));
}

int main()
{
    float h[4] = {-8.0f, -1.5f, -3.0f, -20.0f}, *d;
    int lowest = (int)0x80000000, *d_best, best;
    cudaMalloc(&d, sizeof(h));
    cudaMalloc(&d_best, sizeof(int));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    cudaMemcpy(d_best, &lowest, sizeof(int), cudaMemcpyHostToDevice);
    largest<<<1, 4>>>(d, d_best);
    cudaMemcpy(&best, d_best, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(d_best);
    best = best;
    union { int bits; float value; } result;
    result.bits = best;
    printf("%.1f\n", result.value);
    return result.value == -1.5f ? 0 : 1;
}
