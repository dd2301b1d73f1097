// It should print the value of a polynomial at 2, 17.
#include <stdio.h>

__constant__ float coefficients[3];

__global__ void evaluate(float x, float *y)
{
    *y = coefficients[0] + x * (coefficients[1] + x * coefficients[2]);
}

int main()
{
    float h[3] = {1.0f, 2.0f, 3.0f}, *d_y, y = 0;
    cudaMalloc(&d_y, sizeof(float));
    cudaMemcpyToSymbol(coefficients, h, sizeof(h));
    evaluate<<<1, 1>>>(2.0f, d_y);
    cudaMemcpy(&y, d_y, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", y);
    cudaFree(d_y);
    return 0;
}
