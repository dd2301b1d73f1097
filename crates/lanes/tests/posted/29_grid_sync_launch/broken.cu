// Smooths an array twice in one launch; all blocks meet between the two rounds.
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#define N 512

__global__ void smooth(const int *a, int *b, int *c)
{
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int left = (i + N - 1) % N, right = (i + 1) % N;
    b[i] = a[left] + a[i] + a[right];
    grid.sync();
    c[i] = b[left] + b[i] + b[right];
}

int main()
{
    int h[N], *a, *b, *c;
    for (int i = 0; i < N; i++)
        h[i] = i == 200 ? 1 : 0;
    cudaMalloc(&a, sizeof(h));
    cudaMalloc(&b, sizeof(h));
    cudaMalloc(&c, sizeof(h));
    cudaMemcpy(a, h, sizeof(h), cudaMemcpyHostToDevice);

    smooth<<<N / 64, 64>>>(a, b, c);
    cudaMemcpy(h, c, sizeof(h), cudaMemcpyDeviceToHost);

    for (int i = 197; i < 204; i++)
        printf("%d ", h[i]);
    printf("\n");
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}
