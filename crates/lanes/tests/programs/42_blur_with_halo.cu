// It should print the middle of a blurred ramp, 511.0.
#include <cstdio>

#define TILE 128

__global__ void blur(const float *in, float *out, int n)
{
    __shared__ float tile[TILE + 2];
    int i = blockIdx.x * TILE + threadIdx.x;
    int t = threadIdx.x + 1;
    tile[t] = in[i];
    if (threadIdx.x == 0)
        tile[0] = i > 0 ? in[i - 1] : in[i];
    if (threadIdx.x == TILE)
        tile[TILE + 1] = i + 1 < n ? in[i + 1] : in[i];
    __syncthreads();
    out[i] = (tile[t - 1] + tile[t] + tile[t + 1]) / 3.0f;
}

int main()
{
    const int n = 1024;
    static float h[n];
    for (int i = 0; i < n; i++)
        h[i] = i;
    float *d_in, *d_out;
    cudaMalloc(&d_in, sizeof(h));
    cudaMalloc(&d_out, sizeof(h));
    cudaMemcpy(d_in, h, sizeof(h), cudaMemcpyHostToDevice);
    blur<<<n / TILE, TILE>>>(d_in, d_out, n);
    cudaMemcpy(h, d_out, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%.1f\n", h[511]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
