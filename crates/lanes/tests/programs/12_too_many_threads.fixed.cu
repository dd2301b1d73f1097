// It should print the last square root of 2048, 45.24.
#include <cstdio>
#include <cmath>

__global__ void roots(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = sqrtf((float)i);
}

int main()
{
    const int n = 2048;
    float *d_out;
    static float h_out[2048];

    cudaMalloc(&d_out, n * sizeof(float));
    // one block is enough for 2048 elements
    roots<<<n / 256, 256>>>(d_out, n);
    cudaMemcpy(h_out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);

    // prints sqrt(2047) = 0.00, no error anywhere
    printf("sqrt(%d) = %.2f\n", n - 1, h_out[n - 1]);

    cudaFree(d_out);
    return 0;
}
