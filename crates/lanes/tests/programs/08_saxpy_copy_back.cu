// It should print 2*i+1 for the first 5 elements.
#include <stdio.h>
#include <stdlib.h>

__global__ void saxpy(int n, float a, const float *x, const float *y, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a * x[i] + y[i];
}

int main(void)
{
    int N = 1 << 12;
    size_t bytes = N * sizeof(float);
    float *x, *y, *out, *d_x, *d_y, *d_out;
    x = (float *)malloc(bytes);
    y = (float *)malloc(bytes);
    out = (float *)malloc(bytes);

    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMalloc(&d_out, bytes);

    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = 1.0f;
    }

    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);

    // Perform SAXPY on 4096 elements
    saxpy<<<(N + 255) / 256, 256>>>(N, 2.0f, d_x, d_y, d_out);
    cudaDeviceSynchronize();

    // always prints garbage or zeros :(
    for (int i = 0; i < 5; i++)
        printf("out[%d] = %f\n", i, out[i]);

    cudaFree(d_x);
    cudaFree(d_y);
    cudaFree(d_out);
    free(x);
    free(y);
    free(out);
}
