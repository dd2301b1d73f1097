// It should print the number of ones in 512, 512.
#include <stdio.h>

__global__ void count_ones(const int *x, int *out)
{
    __shared__ int part[256];
    part[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < 256; i++)
            sum += part[i];
        atomicAdd(out, sum);
    }
}

int main()
{
    const int n = 512;
    int h[n], *d, *d_out, out = 0;
    for (int i = 0; i < n; i++)
        h[i] = 1;
    cudaMalloc(&d, sizeof(h));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof(int));
    const int threads = 128;
    count_ones<<<n / threads, threads>>>(d, d_out);
    cudaMemcpy(&out, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", out);
    cudaFree(d);
    cudaFree(d_out);
    return 0;
}
