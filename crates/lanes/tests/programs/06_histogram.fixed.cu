// It should print the number of counted bytes, 16384.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 64

__global__ void histogram(const unsigned char *text, int len, unsigned int *bins)
{
    __shared__ unsigned int local[BINS];
    if (threadIdx.x < BINS)
        local[threadIdx.x] = 0;
    __syncthreads();
    int stride = blockDim.x * gridDim.x;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < len; i += stride)
        atomicAdd(&local[text[i] % BINS], 1);
    __syncthreads();

    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main(int argc, char **argv)
{
    const int len = 16384;
    unsigned char *h_text = (unsigned char *)malloc(len);
    unsigned int h_bins[BINS];

    srand(42);
    for (int i = 0; i < len; i++)
        h_text[i] = rand() % 256;

    unsigned char *d_text;
    unsigned int *d_bins;
    cudaMalloc(&d_text, len);
    cudaMalloc(&d_bins, BINS * sizeof(unsigned int));
    cudaMemcpy(d_text, h_text, len, cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, BINS * sizeof(unsigned int));

    histogram<<<8, 128>>>(d_text, len, d_bins);
    cudaMemcpy(h_bins, d_bins, sizeof(h_bins), cudaMemcpyDeviceToHost);

    unsigned int total = 0;
    for (int b = 0; b < BINS; b++)
        total += h_bins[b];
    printf("counted %u of %d bytes\n", total, len);

    cudaFree(d_text);
    cudaFree(d_bins);
    free(h_text);
    return 0;
}
