// It should print 31.
#include <stdio.h>
#include <stdlib.h>

__global__ void number(int *x)
{
    x[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *d, *h = (int *)malloc(32 * sizeof(int));
    cudaMalloc(&d, 32 * sizeof(int));
    number<<<1, 32>>>(d);
    cudaMemcpy(h, d, 32 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[31]);
    cudaFree(d);
    cudaFree(h);
    return 0;
}
