// It should print the sum of 4096 ones, 4096.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define N 4096
#define THREADS 256

// each block adds up THREADS numbers
__global__ void blockSum(const int *in, int *out)
{
    __shared__ int cache[THREADS];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    cache[tid] = in[i];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = cache[0];
}

int main(void)
{
    int blocks = N / THREADS;
    int *h_in = (int *)malloc(N * sizeof(int));
    int *h_out = (int *)malloc(blocks * sizeof(int));
    for (int i = 0; i < N; i++)
        h_in[i] = 1;

    int *d_in, *d_out;
    cudaMalloc((void **)&d_in, N * sizeof(int));
    cudaMalloc((void **)&d_out, blocks * sizeof(int));
    cudaMemcpy(d_in, h_in, N * sizeof(int), cudaMemcpyHostToDevice);

    blockSum<<<blocks, THREADS>>>(d_in, d_out);

    cudaMemcpy(h_out, d_out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    int total = 0;
    for (int b = 0; b < blocks; b++)
        total += h_out[b];
    printf("sum = %d (expected %d)\n", total, N);

    cudaFree(d_in);
    cudaFree(d_out);
    free(h_in);
    free(h_out);
    return 0;
}
