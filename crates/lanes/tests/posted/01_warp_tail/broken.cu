// Adds up 2048 small numbers: a tree in shared memory for each block, whose last 64 values are left to one warp.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define BLOCK 256

__device__ void finishInWarp(int *s, int tid)
{
    for (int o = 32; o > 0; o >>= 1) {
        if (tid < o)
            s[tid] += s[tid + o];
    }
}

__global__ void sumBlocks(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    int tid = threadIdx.x;
    s[tid] = in[blockIdx.x * BLOCK + tid];
    __syncthreads();
    for (int half = BLOCK / 2; half > 32; half >>= 1) {
        if (tid < half)
            s[tid] += s[tid + half];
        __syncthreads();
    }
    if (tid < 32)
        finishInWarp(s, tid);
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

int main()
{
    const int n = 2048, blocks = n / BLOCK;
    int *h = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        h[i] = i % 7;
    int *d_in, *d_out, parts[blocks];
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, blocks * sizeof(int));
    cudaMemcpy(d_in, h, n * sizeof(int), cudaMemcpyHostToDevice);
    sumBlocks<<<blocks, BLOCK>>>(d_in, d_out);
    cudaMemcpy(parts, d_out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int b = 0; b < blocks; b++)
        sum += parts[b];
    printf("sum = %d\n", sum);
    cudaFree(d_in);
    cudaFree(d_out);
    free(h);
    return 0;
}
