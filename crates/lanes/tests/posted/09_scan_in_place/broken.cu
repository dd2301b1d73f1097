// Inclusive prefix sums of 256 numbers in one block.
#include <cstdio>
#include <cuda_runtime.h>

#define N 256

__global__ void prefix(int *data)
{
    __shared__ int s[N];
    int tid = threadIdx.x;
    s[tid] = data[tid];
    __syncthreads();

    for (int d = 1; d < N; d <<= 1) {
        if (tid >= d)
            s[tid] += s[tid - d];
        __syncthreads();
    }
    data[tid] = s[tid];
}

int main()
{
    int h[N], *d;
    for (int i = 0; i < N; i++)
        h[i] = 1 + i % 3;

    cudaMalloc(&d, N * sizeof(int));
    cudaMemcpy(d, h, N * sizeof(int), cudaMemcpyHostToDevice);
    prefix<<<1, N>>>(d);
    cudaMemcpy(h, d, N * sizeof(int), cudaMemcpyDeviceToHost);

    printf("%d %d %d %d\n", h[0], h[1], h[100], h[N - 1]);
    cudaFree(d);
    return 0;
}
