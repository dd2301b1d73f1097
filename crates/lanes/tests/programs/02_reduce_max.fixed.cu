// It should print the largest of 1024 numbers, 99.90.
#include <stdio.h>
#include <stdlib.h>
#include <float.h>

// Why does my max reduction hang (or not hang) depending on the card?
__global__ void maxReduce(const float *data, float *result, int n)
{
    __shared__ float smem[512];
    int tid = threadIdx.x;
    float best = -FLT_MAX;
    for (int i = tid; i < n; i += blockDim.x)
        best = fmaxf(best, data[i]);
    smem[tid] = best;
    __syncthreads();

    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride) {
            if (smem[tid + stride] > smem[tid])
                smem[tid] = smem[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0)
        *result = smem[0];
}

int main()
{
    const int n = 1024;
    float h_data[1024];
    for (int i = 0; i < n; i++)
        h_data[i] = (float)((i * 37) % 1000) / 10.0f;

    float *d_data = NULL, *d_result = NULL;
    float h_result = 0.0f;
    cudaMalloc(&d_data, n * sizeof(float));
    cudaMalloc(&d_result, sizeof(float));
    cudaMemcpy(d_data, h_data, n * sizeof(float), cudaMemcpyHostToDevice);

    maxReduce<<<1, 512>>>(d_data, d_result, n);
    cudaDeviceSynchronize();

    cudaMemcpy(&h_result, d_result, sizeof(float), cudaMemcpyDeviceToHost);
    printf("max: %.2f\n", h_result);
    cudaFree(d_data);
    cudaFree(d_result);
    return 0;
}
