// Adds up 1000 numbers with shuffles, and with one atomic for each warp.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void total(const int *in, int n, int *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? in[i] : 0;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, v);
}

int main()
{
    const int n = 1000;
    int h[n];
    for (int i = 0; i < n; i++)
        h[i] = i + 1;

    int *d, *d_sum, sum;
    cudaMalloc(&d, n * sizeof(int));
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_sum, 0, sizeof(int));

    total<<<(n + 127) / 128, 128>>>(d, n, d_sum);
    cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", sum);

    cudaFree(d);
    cudaFree(d_sum);
    return 0;
}
