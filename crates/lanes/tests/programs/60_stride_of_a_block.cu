// It should print the first and the last of 4096 numbers that were increased once, 1 4096.
#include <stdio.h>
#include <stdlib.h>

__global__ void increase(int *x, int n)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += blockDim.x)
        x[i] = x[i] + 1;
}

int main()
{
    const int n = 4096;
    size_t bytes = n * sizeof(int);
    int *h = (int *)malloc(bytes), *d;
    for (int i = 0; i < n; i++)
        h[i] = i;
    cudaMalloc(&d, bytes);
    cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
    increase<<<4, 256>>>(d, n);
    cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[n - 1]);
    cudaFree(d);
    free(h);
    return 0;
}
