// It should print the sum of 2048 ones, 2048.
#include <cstdio>
#include <vector>

#define BLOCKS 8
#define THREADS 256

__device__ unsigned int finished = 0;

__global__ void sumAll(const int *in, int *partial, int *result)
{
    __shared__ int s[THREADS];
    __shared__ bool isLast;
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
    for (int k = THREADS / 2; k > 0; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        unsigned int ticket = atomicInc(&finished, gridDim.x);
        isLast = (ticket == gridDim.x - 1);
        __threadfence();
    }
    __syncthreads();
    if (isLast && t == 0) {
        int sum = 0;
        for (int b = 0; b < BLOCKS; b++)
            sum += partial[b];
        *result = sum;
    }
}

int main()
{
    std::vector<int> ones(BLOCKS * THREADS, 1);
    int *d_in, *d_partial, *d_result, result = 0;
    cudaMalloc(&d_in, ones.size() * sizeof(int));
    cudaMalloc(&d_partial, BLOCKS * sizeof(int));
    cudaMalloc(&d_result, sizeof(int));
    cudaMemcpy(d_in, ones.data(), ones.size() * sizeof(int), cudaMemcpyHostToDevice);
    sumAll<<<BLOCKS, THREADS>>>(d_in, d_partial, d_result);
    cudaMemcpy(&result, d_result, sizeof(int), cudaMemcpyDeviceToHost);
    printf("result: %d\n", result);
    cudaFree(d_in);
    cudaFree(d_partial);
    cudaFree(d_result);
    return 0;
}
