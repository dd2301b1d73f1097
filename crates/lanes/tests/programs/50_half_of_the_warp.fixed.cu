// It should print the sum of 0 to 15, 120.
#include <stdio.h>

__global__ void sum_of_16(int *out)
{
    int lane = threadIdx.x;
    int value = lane;
    if (lane < 16) {
        for (int distance = 8; distance > 0; distance /= 2)
            value += __shfl_xor_sync(0xffff, value, distance);
        if (lane == 0)
            *out = value;
    }
}

int main()
{
    int *d, h;
    cudaMalloc(&d, sizeof(int));
    sum_of_16<<<1, 32>>>(d);
    cudaMemcpy(&h, d, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    cudaFree(d);
    return 0;
}
