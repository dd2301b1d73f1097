// It should print the total of 1000 ones, 1000.
#include <cstdio>
#include <vector>

__inline__ __device__ int warpReduceSum(int val)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        val += __shfl_down_sync(0xffffffff, val, offset);
    return val;
}

__global__ void total(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = warpReduceSum(in[i]);
    if (threadIdx.x % warpSize == 0)
        atomicAdd(out, sum);
}

int main()
{
    const int n = 1000;
    std::vector<int> ones(n, 1);
    int *d_in, *d_out, h_out = 0;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemcpy(d_in, ones.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_out, &h_out, sizeof(int), cudaMemcpyHostToDevice);

    total<<<(n + 127) / 128, 128>>>(d_in, d_out, n);

    cudaMemcpy(&h_out, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("total = %d\n", h_out);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
