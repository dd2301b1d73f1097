// Adds up a function of the numbers 0 to 1023, separately for each remainder by 16.
#include <cstdio>
#include <cuda_runtime.h>

const int SUMS = 16;

struct Square {
    __device__ int operator()(int i) const { return i * i; }
};

struct IsLarge {
    int limit;
    __device__ int operator()(int i) const { return i >= limit; }
};

template <typename F>
__global__ void addUp(int *sum, int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&sum[i % SUMS], f(i));
}

template <typename F>
void show(const char *what, F f)
{
    int h[SUMS], *d;
    cudaMalloc(&d, sizeof(h));
    cudaMemset(d, 0, sizeof(h));
    addUp<<<64, SUMS>>>(d, 1024, f);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("%s: %d %d\n", what, h[0], h[SUMS - 1]);
}

int main()
{
    show("squares", Square());
    show("large", IsLarge{1000});
    return 0;
}
