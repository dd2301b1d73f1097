// Divides each number by the sum of the large numbers among the 32 of its warp.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                               \
    do {                                                          \
        cudaError_t e = (call);                                   \
        if (e != cudaSuccess) {                                   \
            printf("%s, line %d\n", cudaGetErrorString(e), __LINE__); \
            exit(1);                                              \
        }                                                         \
    } while (0)

__device__ float warpSum(float v)
{
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__global__ void normalise(float *x, float large)
{
    float mine = x[threadIdx.x];
    float sum = 0.0f;
    if (mine >= large)
        sum = warpSum(mine);
    sum = __shfl_sync(0xffffffff, sum, 31);
    x[threadIdx.x] = mine / sum;
}

int main()
{
    float h[32], *d;
    for (int i = 0; i < 32; i++)
        h[i] = i % 2 ? 16.0f : 1.0f;
    CHECK(cudaMalloc(&d, sizeof(h)));
    CHECK(cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice));
    normalise<<<1, 32>>>(d, 10.0f);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost));
    printf("%.6f %.6f\n", h[0], h[31]);
    CHECK(cudaFree(d));
    return 0;
}
