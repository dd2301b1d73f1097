// It should print the sum of the cubes below 256, 1065369600.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void cubes(long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (long long)i * i * i;
}

int main()
{
    const int n = 256;
    cudaStream_t stream;
    cudaStreamCreate(&stream);

    long long *h, *d;
    cudaMallocHost((void **)&h, n * sizeof(long long));
    cudaMalloc((void **)&d, n * sizeof(long long));

    cubes<<<2, 128, 0, stream>>>(d, n);
    cudaMemcpyAsync(h, d, n * sizeof(long long), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);

    long long sum = 0;
    for (int i = 0; i < n; i++)
        sum += h[i];
    printf("%lld\n", sum);

    cudaStreamDestroy(stream);
    cudaFreeHost(h);
    cudaFree(d);
    return 0;
}
