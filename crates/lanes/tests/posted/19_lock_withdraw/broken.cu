// 64 threads want to withdraw 3 from an account with 100; those that come too late get nothing.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int lock;
__device__ int balance = 100;
__device__ int refused;

__device__ bool withdraw(int amount)
{
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    if (balance < amount)
        return false;
    balance -= amount;
    __threadfence();
    atomicExch(&lock, 0);
    return true;
}

__global__ void customers()
{
    if (!withdraw(3))
        atomicAdd(&refused, 1);
}

int main()
{
    int left, without;
    customers<<<64, 1>>>();
    cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(&left, balance, sizeof(int));
    cudaMemcpyFromSymbol(&without, refused, sizeof(int));
    printf("%d left, %d refused\n", left, without);
    return 0;
}
