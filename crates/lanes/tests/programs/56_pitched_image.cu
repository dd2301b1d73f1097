// It should print the sum of a 100 by 30 image of ones, 3000.
#include <stdio.h>
#include <vector>

__global__ void brighten(int *img, size_t pitch, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        int *row = img + y * pitch;
        row[x] += 1;
    }
}

int main()
{
    const int w = 100, h = 30;
    std::vector<int> image(w * h, 0);
    int *d_img;
    size_t pitch;
    cudaMallocPitch(&d_img, &pitch, w * sizeof(int), h);
    cudaMemcpy2D(d_img, pitch, image.data(), w * sizeof(int), w * sizeof(int), h, cudaMemcpyHostToDevice);
    dim3 threads(16, 16);
    dim3 blocks((w + 15) / 16, (h + 15) / 16);
    brighten<<<blocks, threads>>>(d_img, pitch, w, h);
    cudaMemcpy2D(image.data(), w * sizeof(int), d_img, pitch, w * sizeof(int), h, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int v : image)
        sum += v;
    printf("%d\n", sum);
    cudaFree(d_img);
    return 0;
}
