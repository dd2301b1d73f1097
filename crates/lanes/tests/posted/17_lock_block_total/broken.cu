// Blocks add their share to two numbers that belong together, and take a lock for it.
#include <cstdio>
#include <cuda_runtime.h>

struct Totals {
    int blocks;
    int sum;
};

__device__ int mutex;
__device__ Totals totals;

__device__ void lock()
{
    while (atomicCAS(&mutex, 0, 1) != 0) {
    }
}

__device__ void unlock()
{
    atomicExch(&mutex, 0);
}

__global__ void addUp(const int *in, int each)
{
    if (threadIdx.x != 0)
        return;
    int share = 0;
    for (int k = 0; k < each; k++)
        share += in[blockIdx.x * each + k];
    lock();
    totals.blocks += 1;
    totals.sum += share;
    unlock();
}

int main()
{
    const int blocks = 32, each = 20, n = blocks * each;
    int h[n], *d;
    for (int i = 0; i < n; i++)
        h[i] = i;
    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    addUp<<<blocks, 32>>>(d, each);
    Totals result;
    cudaMemcpyFromSymbol(&result, totals, sizeof(result));
    printf("%d blocks, sum %d\n", result.blocks, result.sum);
    cudaFree(d);
    return 0;
}
