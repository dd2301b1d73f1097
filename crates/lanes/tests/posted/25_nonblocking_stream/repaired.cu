// Sets up a grid of cells in the default stream, and lets them age by one year in a stream of its own.
#include <cstdio>
#include <cuda_runtime.h>

#define CELLS 300

__global__ void setUp(int *age)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < CELLS)
        age[i] = i % 90;
}

__global__ void nextYear(int *age)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < CELLS)
        age[i]++;
}

int main()
{
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int *age, h[CELLS];
    cudaMalloc(&age, CELLS * sizeof(int));

    setUp<<<3, 100>>>(age);
    nextYear<<<3, 100, 0, stream>>>(age);

    cudaStreamSynchronize(stream);
    cudaMemcpy(h, age, sizeof(h), cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int i = 0; i < CELLS; i++)
        sum += h[i];
    printf("ages: %d %d, sum %d\n", h[0], h[CELLS - 1], sum);
    cudaFree(age);
    cudaStreamDestroy(stream);
    return 0;
}
