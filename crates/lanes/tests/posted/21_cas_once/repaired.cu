// Counts the multiples of 3 among 3000 numbers with compare-and-swap, and compares the count with the host's.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int counter;

__device__ void increment(int *count)
{
    int seen = atomicAdd(count, 0);
    int old;
    while ((old = atomicCAS(count, seen, seen + 1)) != seen)
        seen = old;
}

__global__ void multiples(const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0)
        increment(&counter);
}

int main()
{
    const int n = 3000;
    int h[n], expected = 0;
    for (int i = 0; i < n; i++) {
        h[i] = i * 5;
        expected += h[i] % 3 == 0;
    }

    int *d, found;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);
    multiples<<<(n + 127) / 128, 128>>>(d, n);
    cudaMemcpyFromSymbol(&found, counter, sizeof(int));
    cudaFree(d);

    printf("found %d, expected %d\n", found, expected);
    return found == expected ? 0 : 1;
}
