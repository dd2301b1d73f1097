// Counts how many different digits each of 256 numbers has.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int differentDigits(unsigned value)
{
    int seen[10];
    do {
        seen[value % 10]++;
        value /= 10;
    } while (value > 0);
    int different = 0;
    for (int d = 0; d < 10; d++)
        if (seen[d] > 0)
            different++;
    return different;
}

__global__ void count(const unsigned *number, int *different)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    different[i] = differentDigits(number[i]);
}

int main()
{
    const int n = 256;
    unsigned *number;
    int *different;
    cudaMallocManaged(&number, n * sizeof(unsigned));
    cudaMallocManaged(&different, n * sizeof(int));
    for (int i = 0; i < n; i++)
        number[i] = i * 12345u;
    count<<<n / 64, 64>>>(number, different);
    cudaDeviceSynchronize();
    printf("%u has %d, %u has %d\n", number[1], different[1], number[9], different[9]);
    cudaFree(number);
    cudaFree(different);
    return 0;
}
