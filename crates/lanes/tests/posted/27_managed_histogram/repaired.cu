// A histogram of the letters of a sentence in managed memory.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void letters(const char *text, int n, int *bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && text[i] >= 'a' && text[i] <= 'z')
        atomicAdd(&bins[text[i] - 'a'], 1);
}

int main()
{
    const char *sentence = "she sells sea shells by the sea shore";
    int n = strlen(sentence);
    char *text;
    int *bins;
    cudaMallocManaged(&text, n);
    cudaMallocManaged(&bins, 26 * sizeof(int));
    memcpy(text, sentence, n);
    for (int b = 0; b < 26; b++)
        bins[b] = 0;

    letters<<<2, 32>>>(text, n, bins);
    cudaDeviceSynchronize();
    for (int b = 0; b < 26; b++)
        if (bins[b] > 2)
            printf("%c: %d\n", 'a' + b, bins[b]);

    cudaFree(text);
    cudaFree(bins);
    return 0;
}
