// Converts temperatures from Celsius to Fahrenheit.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void toFahrenheit(const float *celsius, float *fahrenheit, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        fahrenheit[i] = celsius[i] * 1.8f + 32.0f;
}

int main(int argc, char **argv)
{
    int n = 50;
    size_t size = n * sizeof(float);
    float *h_c = (float *)malloc(size);
    float *h_f = (float *)malloc(size);
    for (int i = 0; i < n; i++)
        h_c[i] = 5.0f * i;

    float *d_c = NULL, *d_f = NULL;
    cudaMalloc((void **)&d_c, size);
    cudaMalloc((void **)&d_f, size);
    cudaMemcpy(d_c, h_c, size, cudaMemcpyHostToDevice);

    toFahrenheit<<<1, 64>>>(d_c, d_f, n);

    cudaMemcpy(h_f, d_f, size, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i += 20)
        printf("%.1f C = %.1f F\n", h_c[i], h_f[i]);

    cudaFree(d_c);
    cudaFree(d_f);
    free(h_c);
    free(h_f);
    return 0;
}
