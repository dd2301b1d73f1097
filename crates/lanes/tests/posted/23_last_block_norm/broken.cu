// The sum of squares of 4096 numbers in one launch: the block that is done last adds up the parts.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define THREADS 128
#define BLOCKS 32

__device__ int finished;

__global__ void sumOfSquares(const int *x, int *part, int *result)
{
    __shared__ int s[THREADS];
    int tid = threadIdx.x;
    int v = x[blockIdx.x * THREADS + tid];
    s[tid] = v * v;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (tid < half)
            s[tid] += s[tid + half];
        __syncthreads();
    }
    if (tid == 0) {
        part[blockIdx.x] = s[0];
        if (atomicAdd(&finished, 1) == BLOCKS - 1) {
            int sum = 0;
            for (int b = 0; b < BLOCKS; b++)
                sum += part[b];
            *result = sum;
        }
    }
}

int main()
{
    const int n = THREADS * BLOCKS;
    std::vector<int> h(n);
    for (int i = 0; i < n; i++)
        h[i] = i % 10;
    int *x, *part, *d_result, result;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&part, BLOCKS * sizeof(int));
    cudaMalloc(&d_result, sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    sumOfSquares<<<BLOCKS, THREADS>>>(x, part, d_result);
    cudaMemcpy(&result, d_result, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", result);
    cudaFree(x);
    cudaFree(part);
    cudaFree(d_result);
    return 0;
}
