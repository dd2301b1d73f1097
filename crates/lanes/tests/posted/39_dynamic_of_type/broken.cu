// Turns pieces of an array around in dynamic shared memory, for elements of any type.
#include <cstdio>
#include <cuda_runtime.h>

template <typename T>
__global__ void reverseKernel(T *x)
{
    extern __shared__ double raw[];
    T *s = reinterpret_cast<T *>(raw);
    T *piece = x + blockIdx.x * blockDim.x;
    s[threadIdx.x] = piece[threadIdx.x];
    __syncthreads();
    piece[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

template <typename T>
void reverse(T *x, int pieces, int length)
{
    T *d;
    size_t bytes = pieces * length * sizeof(T);
    cudaMalloc(&d, bytes);
    cudaMemcpy(d, x, bytes, cudaMemcpyHostToDevice);
    reverseKernel<T><<<pieces, length, length * sizeof(float)>>>(d);
    cudaMemcpy(x, d, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d);
}

int main()
{
    float f[256];
    double g[256];
    for (int i = 0; i < 256; i++)
        f[i] = g[i] = i;
    reverse(f, 4, 64);
    reverse(g, 2, 128);
    printf("%.0f %.0f, %.0f %.0f\n", f[0], f[255], g[0], g[255]);
    return 0;
}
