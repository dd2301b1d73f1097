// It should print the running maximum of eight numbers from the right, which begins with 9.
#include <stdio.h>
#include <stdlib.h>

__global__ void twice(int *x)
{
    x[threadIdx.x] *= 2;
}

int main()
{
    const unsigned n = 8;
    int start[n] = {3, 1, 4, 1, 5, 9, 2, 6};
    int *h = (int *)malloc(n * sizeof(int)), *d;
    for (unsigned i = 0; i < n; i++)
        h[i] = start[i];
    for (unsigned i = n - 1; i-- > 0;)
        if (h[i + 1] > h[i])
            h[i] = h[i + 1];
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);
    twice<<<1, n>>>(d);
    cudaMemcpy(start, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d (doubled %d)\n", h[0], start[0]);
    cudaFree(d);
    free(h);
    return 0;
}
