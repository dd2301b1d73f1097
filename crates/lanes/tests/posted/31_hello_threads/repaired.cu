// Says hello from three launches, each with more threads than the one before.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void hello(int number)
{
    if (threadIdx.x == 0)
        printf("hello from launch %d with %d threads\n", number, blockDim.x);
}

int main()
{
    for (int number = 0; number < 3; number++)
        hello<<<1, 32 << number>>>(number);
    if (cudaGetLastError() != cudaSuccess) {
        printf("a launch failed\n");
        return 1;
    }
    cudaDeviceSynchronize();
    return 0;
}
