// Adds up the values of 24 sensors and 8 constants in each warp; sensors count as zero if any value is negative.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void addSensors(const int *value, int *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int v = value[i];

    if (lane < 24 && __any_sync(0xffffffff, v < 0))
        v = 0;
    for (int d = 1; d < 32; d *= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (lane == 0)
        sum[i / 32] = v;
}

int main()
{
    const int n = 128;
    int h[n], sum[n / 32];
    for (int i = 0; i < n; i++)
        h[i] = i % 10;
    h[40] = -1;

    int *d, *d_sum;
    cudaMalloc(&d, sizeof(h));
    cudaMalloc(&d_sum, sizeof(sum));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    addSensors<<<2, 64>>>(d, d_sum);
    cudaMemcpy(sum, d_sum, sizeof(sum), cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", sum[0], sum[1], sum[2], sum[3]);
    cudaFree(d);
    cudaFree(d_sum);
    return 0;
}
