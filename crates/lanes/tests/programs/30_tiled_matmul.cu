// It should print the largest error against the host, 0.000000.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TILE_WIDTH 16
#define WIDTH 48

__global__ void MatrixMulKernel(float *Md, float *Nd, float *Pd, int Width)
{
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x, by = blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = by * TILE_WIDTH + ty;
    int Col = bx * TILE_WIDTH + tx;

    float Pvalue = 0;
    for (int m = 0; m < Width / TILE_WIDTH; ++m) {
        Mds[ty][tx] = Md[Row * Width + (m * TILE_WIDTH + tx)];
        Nds[ty][tx] = Nd[(m * TILE_WIDTH + ty) * Width + Col];
        __syncthreads();
        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += Mds[ty][k] * Nds[k][tx];
    }
    Pd[Row * Width + Col] = Pvalue;
}

int main(int argc, char *argv[])
{
    int size = WIDTH * WIDTH * sizeof(float);
    float *M = (float *)malloc(size);
    float *N = (float *)malloc(size);
    float *P = (float *)malloc(size);
    for (int i = 0; i < WIDTH * WIDTH; i++) {
        M[i] = i % 7;
        N[i] = i % 5;
    }
    float *Md, *Nd, *Pd;
    cudaMalloc((void **)&Md, size);
    cudaMalloc((void **)&Nd, size);
    cudaMalloc((void **)&Pd, size);
    cudaMemcpy(Md, M, size, cudaMemcpyHostToDevice);
    cudaMemcpy(Nd, N, size, cudaMemcpyHostToDevice);

    dim3 dimBlock(TILE_WIDTH, TILE_WIDTH);
    dim3 dimGrid(WIDTH / TILE_WIDTH, WIDTH / TILE_WIDTH);
    MatrixMulKernel<<<dimGrid, dimBlock>>>(Md, Nd, Pd, WIDTH);
    cudaMemcpy(P, Pd, size, cudaMemcpyDeviceToHost);

    float worst = 0;
    for (int i = 0; i < WIDTH; i++)
        for (int j = 0; j < WIDTH; j++) {
            float sum = 0;
            for (int k = 0; k < WIDTH; k++)
                sum += M[i * WIDTH + k] * N[k * WIDTH + j];
            if (fabsf(sum - P[i * WIDTH + j]) > worst)
                worst = fabsf(sum - P[i * WIDTH + j]);
        }
    printf("largest error: %f\n", worst);

    cudaFree(Md);
    cudaFree(Nd);
    cudaFree(Pd);
    free(M);
    free(N);
    free(P);
    return 0;
}
