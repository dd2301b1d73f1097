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
//= solution
        atomicAdd(&found[text[i]], 1);
//= starter
//        found[text[i]] += 1;
//= wrong volatile_word
//        ((volatile int*)found)[text[i]] += 1;
//= wrong old_value_stored
//        int letter = text[i];
//        int seen = atomicAdd(&found[letter], 1);
//        found[letter] = seen + 1;
//= end
    }

//= solution
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&counts[threadIdx.x], found[threadIdx.x]);
//= starter
//    __syncthreads();
//    if (threadIdx.x < 8) counts[threadIdx.x] += found[threadIdx.x];
//= wrong in_the_block_only
//    __syncthreads();
//    if (threadIdx.x < 8) counts[threadIdx.x] += found[threadIdx.x];
//= wrong everybody_adds
//    __syncthreads();
//    atomicAdd(&counts[threadIdx.x % 8], found[threadIdx.x % 8]);
//= end
}
