// Half of a block turns a piece of an array around and meets at a barrier of its own; the others copy a second piece.
#include <cstdio>
#include <cuda/barrier>
#include <cuda_runtime.h>

#define PIECE 64

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void turnAndCopy(const int *in, int *out)
{
    __shared__ Barrier meeting;
    __shared__ int s[PIECE];
    int tid = threadIdx.x;
    if (tid == 0)
        init(&meeting, PIECE);
    __syncthreads();

    if (tid < PIECE) {
        s[tid] = in[tid];
        meeting.arrive_and_wait();
        out[tid] = s[PIECE - 1 - tid];
    } else {
        out[tid] = in[tid];
    }
}

int main()
{
    const int n = 2 * PIECE;
    int h[n], *in, *out;
    for (int i = 0; i < n; i++)
        h[i] = i;
    cudaMalloc(&in, sizeof(h));
    cudaMalloc(&out, sizeof(h));
    cudaMemcpy(in, h, sizeof(h), cudaMemcpyHostToDevice);
    turnAndCopy<<<1, n>>>(in, out);
    cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", h[0], h[63], h[64], h[127]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
