// It should print the numbers 255 and 0, which were at the ends of an array that is turned around.
#include <stdio.h>

__global__ void turn_around(int *x)
{
    extern __shared__ int s[];
    int i = threadIdx.x;
    s[i] = x[i];
    __syncthreads();
    x[i] = s[blockDim.x - 1 - i];
}

int main()
{
    const int n = 256;
    int h[n], *d;
    for (int i = 0; i < n; i++)
        h[i] = i;
    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    turn_around<<<1, n, n * sizeof(int)>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[n - 1]);
    cudaFree(d);
    return 0;
}
