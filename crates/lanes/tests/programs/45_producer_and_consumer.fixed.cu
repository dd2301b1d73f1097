// It should print 42 42.
#include <stdio.h>

__global__ void produce(int *x)
{
    x[threadIdx.x] = 21;
}

__global__ void consume(const int *x, int *y)
{
    y[threadIdx.x] = 2 * x[threadIdx.x];
}

int main()
{
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    int *x, *y, h[32];
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&y, sizeof(h));
    produce<<<1, 32, 0, one>>>(x);
    cudaStreamSynchronize(one);
    consume<<<1, 32, 0, two>>>(x, y);
    cudaStreamSynchronize(two);
    cudaMemcpy(h, y, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[31]);
    cudaFree(x);
    cudaFree(y);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    return 0;
}
