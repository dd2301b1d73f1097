// Sorts the squares of 60000 numbers by their last two digits, and counts the endings that occur.
#include <cstdio>
#include <cuda_runtime.h>

const int SLOTS = 100;

__global__ void endings(int n, int *slot)
{
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        int ending = i * i % SLOTS;
        atomicAdd(&slot[ending], 1);
    }
}

int main()
{
    int h[SLOTS], *d;
    cudaMalloc(&d, sizeof(h));
    cudaMemset(d, 0, sizeof(h));
    endings<<<30, 200>>>(60000, d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    cudaFree(d);

    int used = 0;
    for (int s = 0; s < SLOTS; s++)
        used += h[s] > 0;
    printf("%d endings, %d squares end with 25\n", used, h[25]);
    return 0;
}
