// Prefix sums over several blocks: each one waits for the sum of those before it. Tickets number the blocks as they
// start.
#include <cstdio>
#include <cuda_runtime.h>

#define THREADS 64
#define BLOCKS 16

__device__ int ticket, flag[BLOCKS], total[BLOCKS];

__global__ void scan(const int *in, int *out)
{
    __shared__ int s[THREADS], block, before;
    int tid = threadIdx.x;
    if (tid == 0)
        block = atomicAdd(&ticket, 1);
    __syncthreads();
    int i = block * THREADS + tid;
    s[tid] = in[i];
    __syncthreads();
    if (tid == 0) {
        int sum = 0;
        for (int k = 0; k < THREADS; k++) {
            sum += s[k];
            s[k] = sum;
        }
        before = 0;
        if (block > 0) {
            while (atomicAdd(&flag[block - 1], 0) == 0)
                ;
            __threadfence();
            before = total[block - 1];
        }
        total[block] = before + sum;
        __threadfence();
        atomicExch(&flag[block], 1);
    }
    __syncthreads();
    out[i] = before + s[tid];
}

int main()
{
    const int n = THREADS * BLOCKS;
    int h[n], *d_in, *d_out;
    for (int i = 0; i < n; i++)
        h[i] = i % 10;
    cudaMalloc(&d_in, sizeof(h));
    cudaMalloc(&d_out, sizeof(h));
    cudaMemcpy(d_in, h, sizeof(h), cudaMemcpyHostToDevice);
    scan<<<BLOCKS, THREADS>>>(d_in, d_out);
    cudaMemcpy(h, d_out, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h[63], h[64], h[n - 1]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
