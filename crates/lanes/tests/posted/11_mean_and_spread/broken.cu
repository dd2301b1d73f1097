// Mean and variance of 256 numbers, with the same block-wide sum for both.
#include <cstdio>
#include <cuda_runtime.h>

#define N 256

__device__ float blockSum(float v)
{
    __shared__ float part[N];
    int tid = threadIdx.x;
    part[tid] = v;
    __syncthreads();
    for (int half = N / 2; half > 0; half /= 2) {
        if (tid < half)
            part[tid] += part[tid + half];
        __syncthreads();
    }
    return part[0];
}

__global__ void statistics(const float *x, float *result)
{
    float v = x[threadIdx.x];
    float mean = blockSum(v) / N;
    float variance = blockSum((v - mean) * (v - mean)) / N;
    if (threadIdx.x == 0) {
        result[0] = mean;
        result[1] = variance;
    }
}

int main()
{
    float *x, *result;
    cudaMallocManaged(&x, N * sizeof(float));
    cudaMallocManaged(&result, 2 * sizeof(float));
    for (int i = 0; i < N; i++)
        x[i] = i % 4;
    statistics<<<1, N>>>(x, result);
    cudaDeviceSynchronize();
    printf("mean %.2f, variance %.4f\n", result[0], result[1]);
    cudaFree(x);
    cudaFree(result);
    return 0;
}
