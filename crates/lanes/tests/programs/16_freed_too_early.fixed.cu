// It should print the filtered signal's middle, 1.00.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define checkCuda(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        if (abort) exit(code);
    }
}

__global__ void smooth(const float *src, float *dst, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        dst[i] = (src[i - 1] + src[i] + src[i + 1]) / 3.0f;
    else if (i < n)
        dst[i] = src[i];
}

int main()
{
    const int n = 2000;
    size_t bytes = n * sizeof(float);
    float *h = (float *)malloc(bytes);
    for (int i = 0; i < n; i++)
        h[i] = 1.0f;

    float *d_a, *d_b, *d_c;
    checkCuda(cudaMalloc(&d_a, bytes));
    checkCuda(cudaMalloc(&d_b, bytes));
    checkCuda(cudaMalloc(&d_c, bytes));
    checkCuda(cudaMemcpy(d_a, h, bytes, cudaMemcpyHostToDevice));

    dim3 threads(128);
    dim3 blocks((n + threads.x - 1) / threads.x);
    smooth<<<blocks, threads>>>(d_a, d_b, n);
    checkCuda(cudaPeekAtLastError());
    checkCuda(cudaFree(d_a));
    smooth<<<blocks, threads>>>(d_b, d_c, n);
    checkCuda(cudaPeekAtLastError());
    checkCuda(cudaDeviceSynchronize());
    checkCuda(cudaFree(d_b));

    checkCuda(cudaMemcpy(h, d_c, bytes, cudaMemcpyDeviceToHost));
    printf("middle: %.2f\n", h[n / 2]);
    checkCuda(cudaFree(d_c));
    free(h);
    return 0;
}
