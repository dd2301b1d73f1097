// It should print the total of 20000 numbers, 60000.
#include <stdio.h>
#include <vector>

__global__ void total(const int *data, int *result, int n)
{
    __shared__ int part[256];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += data[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(result, part[0]);
}

int main()
{
    const int n = 20000;
    std::vector<int> data(n, 3);
    int *d_data, *d_result, result = 0;
    cudaMalloc(&d_data, n * sizeof(int));
    cudaMalloc(&d_result, sizeof(int));
    cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_result, &result, sizeof(int), cudaMemcpyHostToDevice);
    total<<<16, 256>>>(d_data, d_result, n);
    cudaMemcpy(&result, d_result, sizeof(int), cudaMemcpyDeviceToHost);
    printf("total = %d\n", result);
    cudaFree(d_data);
    cudaFree(d_result);
    return 0;
}
