// The first warp of a block fills a table, and two others look numbers up in it as soon as it is there.
#include <cstdio>
#include <cuda/atomic>
#include <cuda_runtime.h>

__device__ int table[32];
__device__ int filled;

__global__ void lookUp(int *found)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    cuda::atomic_ref<int, cuda::thread_scope_device> lanesDone(filled);
    if (warp == 0) {
        table[lane] = lane * lane;
        lanesDone.fetch_add(1, cuda::memory_order_release);
    } else {
        while (lanesDone.load(cuda::memory_order_acquire) < 32) {
        }
        found[threadIdx.x - 32] = table[31 - lane];
    }
}

int main()
{
    int *d_found, found[64];
    if (cudaMalloc(&d_found, sizeof(found)) != cudaSuccess)
        return 1;
    lookUp<<<1, 96>>>(d_found);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    cudaMemcpy(found, d_found, sizeof(found), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", found[0], found[31], found[40]);
    cudaFree(d_found);
    return 0;
}
