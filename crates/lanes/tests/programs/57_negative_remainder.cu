// It should print how many numbers fall into eight bins, 500.
#include <stdio.h>
#include <stdlib.h>

#define BINS 8

__global__ void count(const int *keys, int *bins, int n)
{
    __shared__ int local[BINS];
    if (threadIdx.x < BINS)
        local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int bin = keys[i] % BINS;
        atomicAdd(&local[bin], 1);
    }
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    const int n = 500;
    int *h = (int *)malloc(n * sizeof(int)), bins[BINS];
    for (int i = 0; i < n; i++)
        h[i] = 7 * i - 900;
    int *d_keys, *d_bins;
    cudaMalloc(&d_keys, n * sizeof(int));
    cudaMalloc(&d_bins, sizeof(bins));
    cudaMemcpy(d_keys, h, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, sizeof(bins));
    count<<<2, 256>>>(d_keys, d_bins, n);
    cudaMemcpy(bins, d_bins, sizeof(bins), cudaMemcpyDeviceToHost);
    int total = 0;
    for (int b = 0; b < BINS; b++)
        total += bins[b];
    printf("%d\n", total);
    cudaFree(d_keys);
    cudaFree(d_bins);
    free(h);
    return 0;
}
