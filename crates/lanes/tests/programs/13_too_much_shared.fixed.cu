// It should print the reversed array's ends, 4095 and 0.
#include <cstdio>
#include <vector>

__global__ void reverse(int *d, int n)
{
    extern __shared__ int s[];
    for (int t = threadIdx.x; t < n; t += blockDim.x)
        s[t] = d[t];
    __syncthreads();
    for (int t = threadIdx.x; t < n; t += blockDim.x)
        d[t] = s[n - 1 - t];
}

int main()
{
    const int n = 4096;
    std::vector<int> a(n);
    for (int i = 0; i < n; i++)
        a[i] = i;

    int *d_d;
    cudaMalloc(&d_d, n * sizeof(int));
    cudaMemcpy(d_d, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    reverse<<<1, 256, n * sizeof(int)>>>(d_d, n);
    cudaMemcpy(a.data(), d_d, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("first %d, last %d\n", a[0], a[n - 1]);
    cudaFree(d_d);
    return 0;
}
