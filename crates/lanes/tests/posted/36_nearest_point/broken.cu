// The smallest distance of 500 points from a given one, on a line.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void nearest(const int *point, int n, int from, int *distance)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMin(distance, abs(point[i] - from));
}

int main()
{
    const int n = 500;
    int *h = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        h[i] = 40 * i;

    int *point, *d_distance, distance = 1 << 30;
    cudaMalloc(&point, n * sizeof(int));
    cudaMalloc(&d_distance, sizeof(int));
    cudaMemcpy(point, h, n * sizeof(int), cudaMemcpyHostToDevice);

    nearest<<<(n + 127) / 128, 128>>>(point, n, 1234, d_distance);
    cudaMemcpy(&distance, d_distance, sizeof(int), cudaMemcpyDeviceToHost);
    printf("nearest point: %d away\n", distance);

    cudaFree(point);
    cudaFree(d_distance);
    free(h);
    return 0;
}
