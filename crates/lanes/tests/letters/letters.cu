// Counts letters: first for each block in shared memory, then for the whole grid.

#include "letters.cuh"

// ANCHOR: count_letters
__global__ void count_letters(const char* text, int length, int* counts)
{
    __shared__ int part[LETTERS];
    if (threadIdx.x < LETTERS) part[threadIdx.x] = 0;

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    char letter = i < length ? text[i] | 0x20 : ' ';
    if (letter >= 'a' && letter <= 'z') atomicAdd(&part[letter - 'a'], 1);
    __syncthreads();
    if (threadIdx.x < LETTERS) atomicAdd(&counts[threadIdx.x], part[threadIdx.x]);
}
// ANCHOR_END: count_letters
