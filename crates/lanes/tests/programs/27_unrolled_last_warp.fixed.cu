// It should print the sum of 0..511, 130816.
#include <cstdio>

__global__ void reduce(const int *g_idata, int *g_odata)
{
    __shared__ int sdata[256];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    sdata[tid] = g_idata[i] + g_idata[i + blockDim.x];
    __syncthreads();

    if (tid < 128) sdata[tid] += sdata[tid + 128];
    __syncthreads();
    if (tid < 64) sdata[tid] += sdata[tid + 64];
    __syncthreads();

    // the last warp needs no __syncthreads()
    if (tid < 32) {
        int v = sdata[tid];
        v += sdata[tid + 32]; __syncwarp(); sdata[tid] = v; __syncwarp();
        v += sdata[tid + 16]; __syncwarp(); sdata[tid] = v; __syncwarp();
        v += sdata[tid + 8]; __syncwarp(); sdata[tid] = v; __syncwarp();
        v += sdata[tid + 4]; __syncwarp(); sdata[tid] = v; __syncwarp();
        v += sdata[tid + 2]; __syncwarp(); sdata[tid] = v; __syncwarp();
        v += sdata[tid + 1]; __syncwarp(); sdata[tid] = v;
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

int main()
{
    int h[512], result;
    for (int i = 0; i < 512; i++) h[i] = i;
    int *d_in, *d_out;
    cudaMalloc(&d_in, sizeof(h));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemcpy(d_in, h, sizeof(h), cudaMemcpyHostToDevice);
    reduce<<<1, 256>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("GPU result: %d\n", result);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
