// Each group of 16 threads finds its largest number, and then compares it with that of the next group.
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void peaks(const int *x, int *isPeak)
{
    __shared__ int best[8];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int group = threadIdx.x / 16;
    int v = x[threadIdx.x];
    for (int d = 8; d > 0; d /= 2) {
        int other = tile.shfl_xor(v, d);
        v = other > v ? other : v;
    }
    if (tile.thread_rank() == 0)
        best[group] = v;
    tile.sync();
    if (tile.thread_rank() == 0)
        isPeak[group] = best[group] > best[(group + 1) % 8];
}

int main()
{
    int h[128], result[8], *x, *isPeak;
    for (int i = 0; i < 128; i++)
        h[i] = i * 29 % 113;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&isPeak, sizeof(result));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    peaks<<<1, 128>>>(x, isPeak);
    cudaMemcpy(result, isPeak, sizeof(result), cudaMemcpyDeviceToHost);
    for (int g = 0; g < 8; g++)
        printf("%d", result[g]);
    printf("\n");
    cudaFree(x);
    cudaFree(isPeak);
    return 0;
}
