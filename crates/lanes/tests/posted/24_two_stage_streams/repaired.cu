// Two stages in two streams: the first one fills an array, the second one squares it.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = i;
}

__global__ void square(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[i];
}

int main()
{
    const int n = 512;
    int *x, *y, h[n];
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&y, sizeof(h));
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEvent_t filled;
    cudaEventCreateWithFlags(&filled, cudaEventDisableTiming);

    fill<<<n / 128, 128, 0, first>>>(x, n);
    cudaEventRecord(filled, first);
    cudaStreamWaitEvent(second, filled, 0);
    square<<<n / 128, 128, 0, second>>>(x, y, n);
    cudaStreamSynchronize(second);

    cudaMemcpy(h, y, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[1], h[n - 1]);
    cudaEventDestroy(filled);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(x);
    cudaFree(y);
    return 0;
}
