// It should print how many rows each of the blocks gets, 125.
#include <stdio.h>
#include <stdlib.h>

__global__ void scale(float *x, int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
        int i = (blockIdx.x * rows + r) * cols + threadIdx.x;
        x[i] *= 2.0f;
    }
}

int main(int argc, char **argv)
{
    const int rows = 1000, cols = 64;
    int blocks = argc > 1 ? atoi(argv[1]) : 8;
    int each = rows / blocks;
    float *d;
    cudaMalloc(&d, rows * cols * sizeof(float));
    cudaMemset(d, 0, rows * cols * sizeof(float));
    scale<<<blocks, cols>>>(d, each, cols);
    cudaDeviceSynchronize();
    printf("%d\n", each);
    cudaFree(d);
    return 0;
}
