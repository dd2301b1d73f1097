// A filter with five weights in constant memory, compared with the same filter on the host.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

__constant__ float weight[5];

__global__ void filter(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2 || i >= n - 2)
        return;
    float sum = 0.0f;
    for (int k = 0; k < 5; k++)
        sum += weight[k] * in[i + k - 2];
    out[i] = sum;
}

int main()
{
    const int n = 128;
    const float w[5] = {0.125f, 0.25f, 0.25f, 0.25f, 0.125f};
    float in[n], out[n];
    for (int i = 0; i < n; i++)
        in[i] = i % 16;
    float *d_in, *d_out;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof(out));
    cudaMemcpyToSymbol(weight, w, 4 * sizeof(float));
    filter<<<2, 64>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);

    for (int i = 2; i < n - 2; i++) {
        float sum = 0.0f;
        for (int k = 0; k < 5; k++)
            sum += w[k] * in[i + k - 2];
        if (fabsf(sum - out[i]) > 1e-5f) {
            printf("element %d: %f instead of %f\n", i, out[i], sum);
            return 1;
        }
    }
    printf("all elements agree\n");
    return 0;
}
