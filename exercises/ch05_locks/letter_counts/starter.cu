// How often does each of eight letters occur? Every block counts its share of
// the text in shared memory, and adds its counts to those of the whole text.
//
// text holds n numbers from 0 to 7; counts has eight words, zero before.
// Blocks have 64 threads.
extern "C" __global__ void letter_counts(const int* text, int* counts, int n) {
    __shared__ int found[8];
    if (threadIdx.x < 8) found[threadIdx.x] = 0;
    __syncthreads();

    int threads = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += threads) {
        found[text[i]] += 1;
    }

    __syncthreads();
    if (threadIdx.x < 8) counts[threadIdx.x] += found[threadIdx.x];
}
