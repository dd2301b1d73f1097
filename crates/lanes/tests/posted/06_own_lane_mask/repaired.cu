// Makes the numbers of each group of 32 relative to the first of the group.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int firstOfWarp(int value)
{
    return __shfl_sync(0xffffffff, value, 0);
}

__global__ void relative(int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = x[i];
    x[i] = mine - firstOfWarp(mine);
}

int main()
{
    const int n = 128;
    int *x;
    cudaMallocManaged(&x, n * sizeof(int));
    for (int i = 0; i < n; i++)
        x[i] = 3 * i + 5;
    relative<<<1, n>>>(x);
    cudaDeviceSynchronize();
    printf("%d %d %d %d\n", x[0], x[31], x[32], x[127]);
    cudaFree(x);
    return 0;
}
