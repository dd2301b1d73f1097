// Counts how many of the numbers 1 to 64 have not yet come down to 1 in each round of the Collatz sequence.
#include <cstdio>
#include <cuda_runtime.h>

const int NUMBERS = 64;
const int ROUNDS = 128;

__global__ void collatz(int *left)
{
    __shared__ int active[ROUNDS];
    int tid = threadIdx.x;
    for (int r = tid; r < ROUNDS; r += NUMBERS)
        active[r] = 0;
    __syncthreads();

    int value = tid + 1;
    int round = 0;
    while (value != 1) {
        atomicAdd(&active[round], 1);
        value = value % 2 ? 3 * value + 1 : value / 2;
        round++;
    }
    __syncthreads();

    for (int r = tid; r < ROUNDS; r += NUMBERS)
        left[r] = active[r];
}

int main()
{
    int left[ROUNDS];
    int *d;
    cudaMalloc(&d, sizeof(left));
    collatz<<<1, NUMBERS>>>(d);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        return 1;
    }
    cudaMemcpy(left, d, sizeof(left), cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", left[0], left[10], left[50], left[111]);
    cudaFree(d);
    return 0;
}
