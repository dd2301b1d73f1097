// It should print the scan of 256 ones: first 1, last 256.
#include <stdio.h>

#define BLOCK 256

__global__ void scan(int *data)
{
    __shared__ int temp[BLOCK];
    int t = threadIdx.x;
    temp[t] = data[t];
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        if (t >= d)
            temp[t] += temp[t - d];
        __syncthreads();
    }
    data[t] = temp[t];
}

int main()
{
    int host[BLOCK];
    for (int i = 0; i < BLOCK; ++i)
        host[i] = 1;
    int *dev = 0;
    cudaMalloc((void **)&dev, BLOCK * sizeof(int));
    cudaMemcpy(dev, host, BLOCK * sizeof(int), cudaMemcpyHostToDevice);
    scan<<<1, BLOCK>>>(dev);
    cudaMemcpy(host, dev, BLOCK * sizeof(int), cudaMemcpyDeviceToHost);
    printf("first %d last %d\n", host[0], host[BLOCK - 1]);
    cudaFree(dev);
    return 0;
}
