// Counts in a first phase, and divides by the count of all blocks in the second; a cooperative launch.
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void shares(const int *votes, int *perBlock, float *share)
{
    cg::grid_group everybody = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int yes = __syncthreads_count(votes[i]);
    if (threadIdx.x == 0)
        perBlock[blockIdx.x] = yes;
    everybody.sync();
    int all = 0;
    for (int b = 0; b < gridDim.x; b++)
        all += perBlock[b];
    if (threadIdx.x == 0)
        share[blockIdx.x] = (float)yes / all;
}

int main()
{
    const int threads = 64, n = 256;
    int blocks = n / threads;
    int h[n];
    for (int i = 0; i < n; i++)
        h[i] = i < 64 || i % 4 == 0;
    int *votes, *perBlock;
    float *share, result[n / threads];
    cudaMalloc(&votes, sizeof(h));
    cudaMalloc(&perBlock, blocks * sizeof(int));
    cudaMalloc(&share, sizeof(result));
    cudaMemcpy(votes, h, sizeof(h), cudaMemcpyHostToDevice);
    void *arguments[] = {&votes, &perBlock, &share};
    cudaLaunchCooperativeKernel((void *)shares, dim3(blocks), dim3(threads), arguments, 0, 0);
    cudaMemcpy(result, share, sizeof(result), cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; b++)
        printf("%.4f\n", result[b]);
    cudaFree(votes);
    cudaFree(perBlock);
    cudaFree(share);
    return 0;
}
