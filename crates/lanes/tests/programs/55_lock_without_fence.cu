// It should print the number of blocks, 64.
#include <stdio.h>

__device__ int mutex;
__device__ volatile int counter;

__global__ void count_blocks()
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&mutex, 0, 1) != 0) {
        }
        counter = counter + 1;
        atomicExch(&mutex, 0);
    }
}

int main()
{
    int h = 0;
    count_blocks<<<64, 32>>>();
    cudaMemcpyFromSymbol(&h, counter, sizeof(int));
    printf("%d\n", h);
    return 0;
}
