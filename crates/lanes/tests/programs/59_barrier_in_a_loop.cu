// It should print the sum of 1000 ones, 1000.
#include <iostream>
#include <vector>

// every thread adds a strided part; a tile of the input is staged in shared memory
__global__ void sum(const int *in, int *out, int n)
{
    __shared__ int tile[128];
    int total = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        tile[threadIdx.x] = in[i];
        __syncthreads();
        total += tile[threadIdx.x];
    }
    atomicAdd(out, total);
}

int main()
{
    const int n = 1000;
    std::vector<int> h(n, 1);
    int *in, *out, result = 0;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(int));
    sum<<<1, 128>>>(in, out, n);
    cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
    std::cout << result << std::endl;
    cudaFree(in);
    cudaFree(out);
    return 0;
}
