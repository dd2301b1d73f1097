// It should print the doubled numbers 0 2 4 6 8 10 12 14.
#include <stdio.h>
#include <stdlib.h>

__global__ void doubleElements(int *a, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    for (int i = idx; i < N; i += stride)
        a[i] *= 2;
}

int main()
{
    const int N = 8;
    size_t size = N * sizeof(int);
    int *a = (int *)malloc(size);
    int *d_a = NULL;

    for (int i = 0; i < N; i++)
        a[i] = i;

    cudaError_t err = cudaMalloc(&d_a, size);
    if (err != cudaSuccess) {
        printf("malloc: %s\n", cudaGetErrorString(err));
        return 1;
    }
    cudaMemcpy(d_a, a, size, cudaMemcpyHostToDevice);

    doubleElements<<<2, 4>>>(d_a, N);
    err = cudaDeviceSynchronize();
    if (err != cudaSuccess)
        printf("kernel: %s\n", cudaGetErrorString(err));

    cudaMemcpy(a, d_a, size, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        printf("%d ", a[i]);
    printf("\n");
    cudaFree(d_a);
    free(a);
    return 0;
}
