// The differences between neighbours in an array of 1000 numbers.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void differences(const float *x, float *dx, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
        dx[i] = x[i + 1] - x[i];
}

int main()
{
    const int n = 1000;
    float *h = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++)
        h[i] = 0.5f * i * i;

    float *x, *dx;
    cudaMalloc((void **)&x, n * sizeof(float));
    cudaMalloc((void **)&dx, (n - 1) * sizeof(float));
    cudaMemcpy(x, h, n * sizeof(float), cudaMemcpyHostToDevice);
    differences<<<(n + 255) / 256, 256>>>(x, dx, n);
    cudaMemcpy(h, dx, (n - 1) * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%.1f %.1f %.1f\n", h[0], h[1], h[n - 2]);

    cudaFree(x);
    cudaFree(dx);
    free(h);
    return 0;
}
