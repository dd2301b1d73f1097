// One warp computes a sum while another one waits for it, with a flag in shared memory.
#include <cstdio>
#include <cuda/atomic>
#include <cuda_runtime.h>

__global__ void handOver(const int *in, int n, int *out)
{
    __shared__ int message;
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();

    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += in[i];
        message = sum;
        ready = 1;
    }
    if (threadIdx.x == 32) {
        while (ready == 0)
            ;
        *out = message;
    }
}

int main()
{
    const int n = 100;
    int *in, *out;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, sizeof(int));
    for (int i = 0; i < n; i++)
        in[i] = i;
    handOver<<<1, 64>>>(in, n, out);
    cudaDeviceSynchronize();
    printf("received %d\n", *out);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
