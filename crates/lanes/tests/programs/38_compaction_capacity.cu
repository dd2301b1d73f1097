// It should print how many of 3000 numbers are divisible by 3, 1000.
#include <iostream>
#include <cstdlib>

template <typename T>
struct DivisibleBy {
    T d;
    __host__ __device__ bool operator()(T x) const { return x % d == 0; }
};

template <typename T, typename Pred>
__global__ void compact(const T *in, int n, T *out, int *count, Pred pred)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && pred(in[i])) {
        int pos = atomicAdd(count, 1);
        out[pos] = in[i];
    }
}

int main()
{
    const int n = 3000;
    int *h_in = new int[n];
    for (int i = 0; i < n; i++)
        h_in[i] = i;
    DivisibleBy<int> pred;
    pred.d = 3;

    int *d_in, *d_out, *d_count;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n / 4 * sizeof(int));
    cudaMalloc(&d_count, sizeof(int));
    cudaMemset(d_count, 0, sizeof(int));
    cudaMemcpy(d_in, h_in, n * sizeof(int), cudaMemcpyHostToDevice);

    compact<<<(n + 255) / 256, 256>>>(d_in, n, d_out, d_count, pred);

    int count = 0;
    cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
    int expected = 0;
    for (int i = 0; i < n; i++)
        if (pred(h_in[i]))
            expected++;
    std::cout << count << " of " << n << ", expected " << expected << std::endl;
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_count);
    delete[] h_in;
    return 0;
}
