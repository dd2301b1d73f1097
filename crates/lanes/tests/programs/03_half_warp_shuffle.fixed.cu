// It should print the sum of the first 16 of 32 numbers, 120.
#include <cstdio>
#include <iostream>

#define FULL_MASK 0xffffffff

__device__ int halfWarpSum(int v)
{
    for (int offset = 8; offset > 0; offset /= 2)
        v += __shfl_down_sync(0x0000ffff, v, offset, 16);
    return v;
}

__global__ void kernel(int *data, int *out)
{
    int lane = threadIdx.x % 32;
    int v = data[threadIdx.x];
    if (lane < 16) {
        v = halfWarpSum(v);
        if (lane == 0)
            out[0] = v;
    } else {
        data[threadIdx.x] = v * 2;
    }
}

int main()
{
    int host[32];
    for (int i = 0; i < 32; ++i)
        host[i] = i;

    int *dev, *dev_out;
    cudaMalloc(&dev, sizeof(host));
    cudaMalloc(&dev_out, sizeof(int));
    cudaMemcpy(dev, host, sizeof(host), cudaMemcpyHostToDevice);

    kernel<<<1, 32>>>(dev, dev_out);

    int sum = 0;
    cudaMemcpy(&sum, dev_out, sizeof(int), cudaMemcpyDeviceToHost);
    std::cout << "half warp sum: " << sum << std::endl;

    cudaFree(dev);
    cudaFree(dev_out);
    return 0;
}
