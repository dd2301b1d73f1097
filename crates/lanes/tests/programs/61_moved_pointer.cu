// It should print the length of the longest word, 11.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__global__ void lengths(const char *text, int *length, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    int count = 0;
    for (int k = 0; text[16 * i + k] != 0; k++)
        count++;
    length[i] = count;
}

int main()
{
    const char *words[3] = {"warp", "synchronize", "lane"};
    char *packed = (char *)calloc(3, 16), *next = packed;
    for (int i = 0; i < 3; i++) {
        strcpy(next, words[i]);
        next += 16;
    }
    char *d_text;
    int *d_length, length[3];
    cudaMalloc(&d_text, 48);
    cudaMalloc(&d_length, sizeof(length));
    cudaMemcpy(d_text, packed, 48, cudaMemcpyHostToDevice);
    lengths<<<1, 32>>>(d_text, d_length, 3);
    cudaMemcpy(length, d_length, sizeof(length), cudaMemcpyDeviceToHost);
    int longest = 0;
    for (int i = 0; i < 3; i++)
        longest = length[i] > longest ? length[i] : longest;
    printf("%d\n", longest);
    cudaFree(d_text);
    cudaFree(d_length);
    free(next);
    return 0;
}
