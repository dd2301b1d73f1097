// It should print the integral of x*x over 64 unit intervals in ten steps each.
#include <stdio.h>
#include <math.h>

#define SAMPLES 11

// every thread tabulates x*x on its interval [i, i+1] in steps of 0.1
__global__ void tabulate(float *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float *mine = table + i * SAMPLES;
    int k = 0;
    for (; k < SAMPLES; k++)
        mine[k] = (i + k * 0.1f) * (i + k * 0.1f);
}

int main()
{
    const int n = 64;
    static float table[64 * SAMPLES];
    float *d_table;
    cudaMalloc(&d_table, n * SAMPLES * sizeof(float));
    tabulate<<<1, n>>>(d_table, n);
    cudaError_t status = cudaDeviceSynchronize();
    if (status != cudaSuccess) {
        fprintf(stderr, "tabulate: %s\n", cudaGetErrorString(status));
        return 1;
    }
    cudaMemcpy(table, d_table, n * SAMPLES * sizeof(float), cudaMemcpyDeviceToHost);

    double integral = 0.0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k + 1 < SAMPLES; k++)
            integral += 0.05 * (table[i * SAMPLES + k] + table[i * SAMPLES + k + 1]);
    printf("integral: %.1f\n", integral);
    cudaFree(d_table);
    return 0;
}
