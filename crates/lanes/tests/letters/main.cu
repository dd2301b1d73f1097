// Counts the letters of its argument, or of a sentence.

#include <stdio.h>
#include <string.h>

#include "letters.cuh"

int main(int argc, char** argv)
{
    const char* text = "The reader of a result has to wait for the result.";
    if (argc > 1) text = argv[1];
    int length = strlen(text);

    // ANCHOR: launch
    char* device_text;
    int *device_counts, *counts;
    cudaMalloc(&device_text, length);
    cudaMalloc(&device_counts, LETTERS * sizeof(int));
    cudaMallocHost(&counts, LETTERS * sizeof(int));
    memset(counts, 0, LETTERS * sizeof(int));

    cudaMemcpy(device_text, text, length, cudaMemcpyHostToDevice);
    cudaMemset(device_counts, 0, LETTERS * sizeof(int));
    count_letters<<<(length + 63) / 64, 64>>>(device_text, length, device_counts);
    cudaMemcpyAsync(counts, device_counts, LETTERS * sizeof(int), cudaMemcpyDeviceToHost);
    print(counts);
    // ANCHOR_END: launch

    cudaFreeHost(counts);
    cudaFree(device_counts);
    cudaFree(device_text);
}
