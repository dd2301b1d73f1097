// It should print the sum of the scaled data, 12288.
#include <cstdio>
#include <cuda_runtime.h>

#define CUDA_CALL(x) do { if ((x) != cudaSuccess) { \
    printf("Error at %s:%d\n", __FILE__, __LINE__); \
    return EXIT_FAILURE; } } while (0)

__global__ void scale(float *data, int n, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= factor;
}

int main()
{
    const int n = 4096;
    float *h, *d;
    cudaStream_t copyStream, workStream;
    CUDA_CALL(cudaMallocHost(&h, n * sizeof(float)));
    CUDA_CALL(cudaMalloc(&d, n * sizeof(float)));
    CUDA_CALL(cudaStreamCreate(&copyStream));
    CUDA_CALL(cudaStreamCreate(&workStream));
    for (int i = 0; i < n; i++)
        h[i] = 1.0f;

    CUDA_CALL(cudaMemcpyAsync(d, h, n * sizeof(float), cudaMemcpyHostToDevice, copyStream));
    scale<<<n / 256, 256, 0, workStream>>>(d, n, 3.0f);
    CUDA_CALL(cudaGetLastError());
    CUDA_CALL(cudaMemcpyAsync(h, d, n * sizeof(float), cudaMemcpyDeviceToHost, workStream));
    CUDA_CALL(cudaDeviceSynchronize());

    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += h[i];
    printf("sum: %.0f\n", sum);

    CUDA_CALL(cudaStreamDestroy(copyStream));
    CUDA_CALL(cudaStreamDestroy(workStream));
    CUDA_CALL(cudaFree(d));
    CUDA_CALL(cudaFreeHost(h));
    return 0;
}
