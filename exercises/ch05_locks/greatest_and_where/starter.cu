// The greatest of n numbers, and its place. If several are equal, the place of
// the first one. All numbers are from -1000 to 999.
//
// There is an atomic maximum for one word, but the result has two: a number and
// its place. There is also one for 64 bits, and these have room for both.
//
// result[0] becomes the number, result[1] its place. One block of 128 threads.
extern "C" __global__ void greatest_and_where(const int* x, int* result,
                                              int n) {
    __shared__ unsigned long long best;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();

    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        // TODO: offer x[i] and i to best, in one word and by one atomic.
    }
    __syncthreads();

    if (threadIdx.x == 0) {
        // TODO: take the number and the place out of best.
        result[0] = 0;
        result[1] = 0;
    }
}
