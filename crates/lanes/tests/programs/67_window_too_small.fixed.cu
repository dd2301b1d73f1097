// It should print the median of the first five numbers, 6.
#include <stdio.h>

#define RADIUS 2

__global__ void median(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < RADIUS || i >= n - RADIUS)
        return;
    int window[2 * RADIUS + 1];
    for (int k = -RADIUS; k <= RADIUS; k++)
        window[k + RADIUS] = in[i + k];
    for (int a = 0; a < 2 * RADIUS; a++)
        for (int b = 0; b < 2 * RADIUS - a; b++)
            if (window[b] > window[b + 1]) {
                int swap = window[b];
                window[b] = window[b + 1];
                window[b + 1] = swap;
            }
    out[i] = window[RADIUS];
}

int main()
{
    const int n = 32;
    int h[n], *d_in, *d_out;
    for (int i = 0; i < n; i++)
        h[i] = (i * 7 + 3) % 11;
    cudaMalloc(&d_in, sizeof(h));
    cudaMalloc(&d_out, sizeof(h));
    cudaMemcpy(d_in, h, sizeof(h), cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof(h));
    median<<<1, 32>>>(d_in, d_out, n);
    cudaMemcpy(h, d_out, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d\n", h[2]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
