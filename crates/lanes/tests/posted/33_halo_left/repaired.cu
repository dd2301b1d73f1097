// Sums of three neighbours, with a tile in shared memory that has one more element on either side.
#include <cstdio>
#include <cuda_runtime.h>

#define BLOCK 64

__global__ void sumOfThree(const int *in, int *out, int n)
{
    __shared__ int tile[BLOCK + 2];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int t = threadIdx.x + 1;

    tile[t] = in[i];
    if (threadIdx.x == 0)
        tile[t - 1] = i > 0 ? in[i - 1] : 0;
    if (threadIdx.x == BLOCK - 1)
        tile[t + 1] = i + 1 < n ? in[i + 1] : 0;
    __syncthreads();
    out[i] = tile[t - 1] + tile[t] + tile[t + 1];
}

int main()
{
    const int n = 256;
    int h[n];
    for (int i = 0; i < n; i++)
        h[i] = i;
    int *in, *out;
    cudaMalloc(&in, sizeof(h));
    cudaMalloc(&out, sizeof(h));
    cudaMemcpy(in, h, sizeof(h), cudaMemcpyHostToDevice);
    sumOfThree<<<n / BLOCK, BLOCK>>>(in, out, n);
    cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", h[0], h[63], h[64], h[n - 1]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
