// Collects the even numbers of an array in any order; each warp reserves its places with one atomic.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void keepEven(const int *in, int n, int *out, int *count)
{
    __shared__ int base[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;

    bool keep = i < n && in[i] % 2 == 0;
    unsigned kept = __ballot_sync(0xffffffff, keep);
    if (lane == 0)
        base[warp] = atomicAdd(count, __popc(kept));
    if (keep)
        out[base[warp] + __popc(kept & ((1u << lane) - 1))] = in[i];
}

int main()
{
    const int n = 1000;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; i++)
        in[i] = i * 7 % n;

    int *d_in, *d_out, *d_count, count = 0;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMalloc(&d_count, sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_count, 0, sizeof(int));
    keepEven<<<(n + 255) / 256, 256>>>(d_in, n, d_out, d_count);
    cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(out.data(), d_out, count * sizeof(int), cudaMemcpyDeviceToHost);

    long sum = 0;
    for (int i = 0; i < count; i++)
        sum += out[i];
    printf("%d even numbers, sum %ld\n", count, sum);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_count);
}
