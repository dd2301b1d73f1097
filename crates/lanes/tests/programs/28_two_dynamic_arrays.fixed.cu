// It should print the number of pairs whose sum is even, 64.
#include <stdio.h>
#include <stdlib.h>

__global__ void pairs(const int *a, const int *b, int *even, int n)
{
    extern __shared__ int buffer[];
    int *sa = buffer;
    int *sb = &buffer[n];
    int t = threadIdx.x;
    sa[t] = a[t];
    sb[t] = b[t];
    __syncthreads();
    if ((sa[t] + sb[n - 1 - t]) % 2 == 0)
        atomicAdd(even, 1);
}

int main(void)
{
    const int n = 128;
    int ha[n], hb[n], even = 0;
    for (int i = 0; i < n; i++) {
        ha[i] = i;
        hb[i] = 3 * i + (i < 64);
    }
    int *da, *db, *deven;
    cudaMalloc((void **)&da, n * sizeof(int));
    cudaMalloc((void **)&db, n * sizeof(int));
    cudaMalloc((void **)&deven, sizeof(int));
    cudaMemcpy(da, ha, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, hb, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(deven, &even, sizeof(int), cudaMemcpyHostToDevice);
    pairs<<<1, n, 2 * n * sizeof(int)>>>(da, db, deven, n);
    cudaMemcpy(&even, deven, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d pairs\n", even);
    cudaFree(da);
    cudaFree(db);
    cudaFree(deven);
    return 0;
}
