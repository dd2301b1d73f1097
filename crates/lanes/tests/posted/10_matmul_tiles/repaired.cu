// Multiplies two matrices of 64 by 64 in tiles of 16 by 16; the second one is twice the identity.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

const int N = 64, TILE = 16;

__global__ void multiply(const float *a, const float *b, float *c)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int t = 0; t < N; t += TILE) {
        as[y][x] = a[row * N + t + x];
        bs[y][x] = b[(t + y) * N + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * N + column] = sum;
}

int main()
{
    std::vector<float> a(N * N), b(N * N, 0.0f), c(N * N);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            a[i * N + j] = (i + j) % 3;
        b[i * N + i] = 2;
    }
    size_t bytes = N * N * sizeof(float);
    float *da, *db, *dc;
    cudaMalloc(&da, bytes);
    cudaMalloc(&db, bytes);
    cudaMalloc(&dc, bytes);
    cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
    multiply<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(da, db, dc);
    cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);
    printf("%.0f %.0f %.0f\n", c[5 * N + 6], c[10 * N], c[63 * N + 63]);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return 0;
}
