// Counts the votes for five candidates, with atomics in global memory.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void count(const unsigned char *vote, int n, int *votes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd_block(&votes[vote[i]], 1);
}

int main()
{
    const int n = 700, candidates = 5;
    unsigned char h[n];
    for (int i = 0; i < n; i++)
        h[i] = i % 7 < 5 ? i % 7 : 0;

    unsigned char *vote;
    int *votes, result[candidates];
    cudaMalloc(&vote, n);
    cudaMalloc(&votes, sizeof(result));
    cudaMemcpy(vote, h, n, cudaMemcpyHostToDevice);
    cudaMemset(votes, 0, sizeof(result));
    count<<<(n + 63) / 64, 64>>>(vote, n, votes);
    cudaMemcpy(result, votes, sizeof(result), cudaMemcpyDeviceToHost);

    for (int c = 0; c < candidates; c++)
        printf("candidate %d: %d\n", c, result[c]);
    cudaFree(vote);
    cudaFree(votes);
    return 0;
}
