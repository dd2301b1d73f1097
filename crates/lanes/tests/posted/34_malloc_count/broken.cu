// The first powers of a growth rate of 1.5 percent, each by its own thread.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void growth(double *capital, int years, double rate)
{
    int year = threadIdx.x;
    if (year >= years)
        return;
    double c = 1000.0;
    for (int y = 0; y < year; y++)
        c *= 1.0 + rate;
    capital[year] = c;
}

int main()
{
    const int years = 40;
    double h[years];
    double *d;
    cudaMalloc((void **)&d, years);

    growth<<<1, 64>>>(d, years, 0.015);
    cudaDeviceSynchronize();
    cudaMemcpy(h, d, years * sizeof(double), cudaMemcpyDeviceToHost);

    for (int year = 0; year < years; year += 10)
        printf("after %2d years: %.2f\n", year, h[year]);
    cudaFree(d);
    return 0;
}
