// A kernel writes its results directly into pinned memory of the host, without a copy.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void triangles(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i * (i + 1) / 2;
}

int main()
{
    const int n = 100;
    int *result;
    if (cudaHostAlloc(&result, n * sizeof(int), cudaHostAllocMapped) != cudaSuccess) {
        printf("no memory\n");
        return 1;
    }
    for (int i = 0; i < n; i++)
        result[i] = 0;

    triangles<<<4, 32>>>(result, n);
    if (cudaGetLastError() != cudaSuccess)
        printf("the launch failed\n");
    cudaDeviceSynchronize();

    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += result[i];
    printf("%d %ld\n", result[n - 1], sum);
    cudaFreeHost(result);
    return 0;
}
