// Every thread adds its number to an account that is protected by a lock.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int locked;
__device__ int account;

__global__ void deposit(const int *amount)
{
    int mine = amount[blockIdx.x * blockDim.x + threadIdx.x];
    bool isDone = false;
    while (!isDone) {
        if (atomicCAS(&locked, 0, 1) == 0) {
            __threadfence();
            account += mine;
            __threadfence();
            __syncwarp();
            atomicExch(&locked, 0);
            isDone = true;
        }
    }
}

int main(void)
{
    const int n = 128;
    int amount[n];
    for (int i = 0; i < n; i++)
        amount[i] = 10 + i;

    int *d_amount;
    cudaMalloc((void **)&d_amount, sizeof(amount));
    cudaMemcpy(d_amount, amount, sizeof(amount), cudaMemcpyHostToDevice);
    deposit<<<2, 64>>>(d_amount);
    cudaDeviceSynchronize();

    int result = 0;
    cudaMemcpyFromSymbol(&result, account, sizeof(int));
    printf("account: %d\n", result);
    cudaFree(d_amount);
    return 0;
}
