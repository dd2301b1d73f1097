// It should print the last of 100 numbers, 99.0.
#include <stdio.h>
#include <stdlib.h>

__global__ void same(float *x)
{
    x[threadIdx.x] *= 1.0f;
}

int main()
{
    const int n = 100;
    float *h = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++)
        h[i] = i;
    float *d;
    cudaMalloc(&d, n * sizeof(double));
    cudaMemcpy(d, h, n * sizeof(double), cudaMemcpyHostToDevice);
    same<<<1, n>>>(d);
    cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%.1f\n", h[n - 1]);
    cudaFree(d);
    free(h);
    return 0;
}
