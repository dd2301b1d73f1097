// It should print the message of the first block, 1234.
#include <stdio.h>

__device__ int message;
__device__ int ready;

// block 0 produces a value, block 1 waits for it
__global__ void pingpong(int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        atomicExch(&message, 1234);
        __threadfence();
        atomicExch(&ready, 1);
    } else {
        while (atomicAdd(&ready, 0) == 0)
            ;
        __threadfence();
        *out = atomicAdd(&message, 0);
    }
}

int main(void)
{
    int *d_out, h_out = 0;
    int zero = 0;
    cudaMalloc((void **)&d_out, sizeof(int));
    cudaMemcpyToSymbol(ready, &zero, sizeof(int));

    pingpong<<<2, 32>>>(d_out);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        printf("error: %s\n", cudaGetErrorString(err));
        return 1;
    }
    cudaMemcpy(&h_out, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("got %d\n", h_out);
    cudaFree(d_out);
    return 0;
}
