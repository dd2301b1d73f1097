// It should print the sum of the squares below 512, 44608256.
#include <iostream>
#include <cstdlib>

__global__ void squares(const int *in, long long *out, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        out[i] = (long long)in[i] * in[i];
}

int main()
{
    const int n = 512;
    int *h_in = new int[n];
    long long *h_out = new long long[n];
    for (int i = 0; i < n; i++)
        h_in[i] = i;

    int *d_in;
    long long *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(long long));

    cudaMemcpy(d_in, h_in, n, cudaMemcpyHostToDevice);
    squares<<<n / 128, 128>>>(d_in, d_out, n);
    cudaMemcpy(h_out, d_out, n * sizeof(long long), cudaMemcpyDeviceToHost);

    long long sum = 0;
    for (int i = 0; i < n; i++)
        sum += h_out[i];
    std::cout << "sum of squares: " << sum << std::endl;

    cudaFree(d_in);
    cudaFree(d_out);
    delete[] h_in;
    delete[] h_out;
    return 0;
}
