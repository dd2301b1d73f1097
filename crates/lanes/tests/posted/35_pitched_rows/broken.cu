// Adds up the columns of a matrix of 20 by 100 doubles whose rows are padded.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void columns(const double *m, size_t pitch, int width, int height, double *sum)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width)
        return;
    double total = 0;
    for (int y = 0; y < height; y++) {
        const double *row = m + y * pitch;
        total += row[x];
    }
    sum[x] = total;
}

int main()
{
    const int width = 100, height = 20;
    std::vector<double> h(width * height), sum(width);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            h[y * width + x] = x + y;

    double *m, *d_sum;
    size_t pitch;
    cudaMallocPitch(&m, &pitch, width * sizeof(double), height);
    cudaMalloc(&d_sum, width * sizeof(double));
    cudaMemcpy2D(m, pitch, h.data(), width * sizeof(double), width * sizeof(double), height,
                 cudaMemcpyHostToDevice);
    columns<<<(width + 31) / 32, 32>>>(m, pitch, width, height, d_sum);
    cudaMemcpy(sum.data(), d_sum, width * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%.0f %.0f %.0f\n", sum[0], sum[1], sum[99]);
    cudaFree(m);
    cudaFree(d_sum);
    return 0;
}
