// The largest of 1000 floats, with an atomic maximum that is made of compare-and-swap.
#include <cstdio>
#include <cuda_runtime.h>

__device__ float atomicMaxFloat(float *address, float value)
{
    int *bits = (int *)address;
    int old = *bits;
    while (__int_as_float(old) < value) {
        int seen = old;
        old = atomicCAS(bits, seen, __float_as_int(value));
        if (old == seen)
            break;
    }
    return __int_as_float(old);
}

__global__ void largest(const float *x, int n, float *result)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMaxFloat(result, x[i]);
}

int main()
{
    const int n = 1000;
    float h[n], start = -1.0f, best;
    for (int i = 0; i < n; i++)
        h[i] = (i * 37 % n) * 0.5f;

    float *d, *d_best;
    cudaMalloc(&d, n * sizeof(float));
    cudaMalloc(&d_best, sizeof(float));
    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_best, &start, sizeof(float), cudaMemcpyHostToDevice);
    largest<<<(n + 255) / 256, 256>>>(d, n, d_best);
    cudaMemcpy(&best, d_best, sizeof(float), cudaMemcpyDeviceToHost);
    printf("largest: %.1f\n", best);

    cudaFree(d);
    cudaFree(d_best);
    return 0;
}
