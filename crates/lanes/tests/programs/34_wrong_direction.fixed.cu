// It should print the first four negated numbers, 0 -1 -2 -3.
#include <stdio.h>
#include <stdlib.h>

__global__ void negate(int *v)
{
    v[threadIdx.x] = -v[threadIdx.x];
}

int main()
{
    const int n = 32;
    int *h_v = (int *)malloc(n * sizeof(int));
    int *h_r = (int *)malloc(n * sizeof(int));
    int *d_v;
    for (int i = 0; i < n; i++)
        h_v[i] = i;

    cudaMalloc((void **)&d_v, n * sizeof(int));
    cudaMemcpy(d_v, h_v, n * sizeof(int), cudaMemcpyHostToDevice);
    negate<<<1, n>>>(d_v);
    cudaMemcpy(h_r, d_v, n * sizeof(int), cudaMemcpyDeviceToHost);

    for (int i = 0; i < 4; i++)
        printf("%d ", h_r[i]);
    printf("\n");
    free(h_v);
    free(h_r);
    cudaFree(d_v);
    return 0;
}
