// It should print the sum of 0 to 63, 2016.
#include <stdio.h>

__global__ void count(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

int main()
{
    cudaStream_t stream;
    cudaEvent_t done;
    cudaStreamCreate(&stream);
    cudaEventCreate(&done);
    int *h, *d;
    cudaMallocHost(&h, 64 * sizeof(int));
    cudaMalloc(&d, 64 * sizeof(int));
    count<<<1, 64, 0, stream>>>(d);
    cudaMemcpyAsync(h, d, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaEventRecord(done, stream);
    cudaEventSynchronize(done);
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += h[i];
    printf("%d\n", sum);
    cudaFreeHost(h);
    cudaFree(d);
    cudaEventDestroy(done);
    cudaStreamDestroy(stream);
    return 0;
}
