// It should print the sum of 0 to 99, 4950.
#include <stdio.h>

__global__ void fill(int *x, int n)
{
    int i = threadIdx.x;
    if (i < n)
        x[i] = i;
}

int sum_of(const int *x, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

int main()
{
    int h[100], *d;
    cudaMalloc(&d, sizeof(h));
    fill<<<1, 128>>>(d, 100);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d\n", sum_of(d, 100));
    cudaFree(d);
    return 0;
}
