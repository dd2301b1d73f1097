// It should print the number of even elements, 50.
#include <stdio.h>

__global__ void countEven(const int *v, int n, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && v[i] % 2 == 0)
        atomicAdd(count, 1);
}

int main()
{
    int h_v[100];
    for (int i = 0; i < 100; i++)
        h_v[i] = i;

    int *d_v, *d_count;
    cudaMalloc((void **)&d_v, sizeof(h_v));
    cudaMalloc((void **)&d_count, sizeof(int));
    cudaMemset(d_count, 0, sizeof(int));
    cudaMemcpy(d_v, h_v, sizeof(h_v), cudaMemcpyHostToDevice);

    countEven<<<4, 32>>>(d_v, 100, d_count);
    cudaDeviceSynchronize();

    // Segmentation fault (core dumped) on this line, but the kernel is fine?
    printf("%d even numbers\n", *d_count);

    cudaFree(d_v);
    cudaFree(d_count);
    return 0;
}
