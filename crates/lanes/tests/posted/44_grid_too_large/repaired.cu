// Doubles numbers and turns them around in one cooperative launch.
#include <cstdio>
#include <cstdlib>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void twice(const int *in, int *middle, int *out, int n)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += stride)
        middle[i] = 2 * in[i];
    grid.sync();
    for (int i = first; i < n; i += stride)
        out[i] = middle[n - 1 - i];
}

int main()
{
    int n = 1 << 18, threads = 32;
    size_t bytes = n * sizeof(int);
    int *h = (int *)malloc(bytes), *in, *middle, *out;
    for (int i = 0; i < n; i++)
        h[i] = i;
    cudaMalloc(&in, bytes);
    cudaMalloc(&middle, bytes);
    cudaMalloc(&out, bytes);
    cudaMemcpy(in, h, bytes, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, bytes);

    int blocks;
    cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0);
    void *arguments[] = {&in, &middle, &out, &n};
    cudaLaunchCooperativeKernel((void *)twice, dim3(blocks), dim3(threads), arguments, 0, 0);
    cudaMemcpy(h, out, bytes, cudaMemcpyDeviceToHost);

    printf("%d %d\n", h[0], h[n - 1]);
    cudaFree(in);
    cudaFree(middle);
    cudaFree(out);
    free(h);
    return 0;
}
