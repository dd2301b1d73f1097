// It should print the last numbers of two batches, 63 163.
#include <stdio.h>

__global__ void keep(const int *batch, int *all, int offset)
{
    all[offset + threadIdx.x] = batch[threadIdx.x];
}

int main()
{
    const int n = 64;
    int *staging, *d_batch, *d_all, all[2 * n];
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocHost(&staging, n * sizeof(int));
    cudaMalloc(&d_batch, n * sizeof(int));
    cudaMalloc(&d_all, sizeof(all));
    for (int batch = 0; batch < 2; batch++) {
        for (int i = 0; i < n; i++)
            staging[i] = 100 * batch + i;
        cudaMemcpyAsync(d_batch, staging, n * sizeof(int), cudaMemcpyHostToDevice, stream);
        keep<<<1, n, 0, stream>>>(d_batch, d_all, batch * n);
    }
    cudaStreamSynchronize(stream);
    cudaMemcpy(all, d_all, sizeof(all), cudaMemcpyDeviceToHost);
    printf("%d %d\n", all[n - 1], all[2 * n - 1]);
    cudaFree(d_batch);
    cudaFree(d_all);
    cudaFreeHost(staging);
    cudaStreamDestroy(stream);
    return 0;
}
