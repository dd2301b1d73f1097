// It should print the sum of 1000 elements, 500500.
#include <iostream>
#include <vector>
#include <numeric>

__global__ void addOne(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + 1;
}

int main()
{
    const int n = 1000;
    const int blockSize = 256;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; ++i)
        in[i] = i;

    int *d_in, *d_out;
    size_t bytes = n * sizeof(int);
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice);

    int gridSize = (n + blockSize - 1) / blockSize;
    addOne<<<gridSize, blockSize>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost);

    int sum = std::accumulate(out.begin(), out.end(), 0);
    std::cout << "sum = " << sum << " (should be 500500)" << std::endl;

    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
