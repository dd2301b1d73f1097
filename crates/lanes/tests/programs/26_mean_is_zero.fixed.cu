// It should print the mean of 0..255, 127.50.
#include <cstdio>
#include <cassert>
#include <cmath>

__global__ void weightedSum(const int *v, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float weight = 1.0f / n;
        atomicAdd(sum, weight * v[i]);
    }
}

int main()
{
    const int n = 256;
    int v[n];
    double expected = 0;
    for (int i = 0; i < n; i++) {
        v[i] = i;
        expected += i;
    }
    expected /= n;

    int *d_v;
    float *d_sum, mean = -1.0f;
    cudaMalloc(&d_v, n * sizeof(int));
    cudaMalloc(&d_sum, sizeof(float));
    cudaMemcpy(d_v, v, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_sum, 0, sizeof(float));
    weightedSum<<<2, 128>>>(d_v, d_sum, n);
    cudaMemcpy(&mean, d_sum, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_v);
    cudaFree(d_sum);

    printf("mean: %.2f\n", mean);
    assert(fabs(mean - expected) < 0.01);
    return 0;
}
