// Counts for each group of 16 readings how many are above a limit.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void countHigh(const int *reading, int limit, int *high)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    bool above = reading[i] > limit;

    unsigned lower = __ballot_sync(0x0000ffff, above);
    unsigned upper = __ballot_sync(0xffff0000, above) >> 16;
    if (lane == 0)
        high[i / 16] = __popc(lower);
    if (lane == 16)
        high[i / 16] = __popc(upper);
}

int main(void)
{
    const int n = 128;
    int reading[n], high[n / 16];
    for (int i = 0; i < n; i++)
        reading[i] = i * i % 101;

    int *d_reading, *d_high;
    cudaMalloc((void **)&d_reading, sizeof(reading));
    cudaMalloc((void **)&d_high, sizeof(high));
    cudaMemcpy(d_reading, reading, sizeof(reading), cudaMemcpyHostToDevice);
    countHigh<<<2, 64>>>(d_reading, 50, d_high);
    cudaMemcpy(high, d_high, sizeof(high), cudaMemcpyDeviceToHost);

    for (int g = 0; g < n / 16; g++)
        printf("%d ", high[g]);
    printf("\n");
    cudaFree(d_reading);
    cudaFree(d_high);
    return 0;
}
