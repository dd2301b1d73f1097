// Turns pieces of 48 numbers around, a block of 64 threads for each; the spare threads write a separator behind it.
#include <cstdio>
#include <cuda_runtime.h>

#define ITEMS 48
#define THREADS 64

__global__ void turn(const int *in, int *out)
{
    __shared__ int s[THREADS];
    int tid = threadIdx.x;
    const int *from = in + blockIdx.x * ITEMS;
    int turned = -1;
    if (tid < ITEMS) {
        s[tid] = from[tid];
        __syncthreads();
        turned = s[ITEMS - 1 - tid];
    }
    __syncthreads();
    s[tid] = turned;
    __syncthreads();
    out[blockIdx.x * THREADS + tid] = s[(tid + 1) % THREADS];
}

int main()
{
    const int pieces = 3;
    int in[pieces * ITEMS], out[pieces * THREADS];
    for (int i = 0; i < pieces * ITEMS; i++)
        in[i] = i;
    int *d_in, *d_out;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    turn<<<pieces, THREADS>>>(d_in, d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    for (int p = 0; p < pieces; p++)
        printf("%d %d %d\n", out[p * THREADS], out[p * THREADS + 46], out[p * THREADS + 47]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
