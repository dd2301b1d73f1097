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
//= solution
        unsigned long long number = x[i] + 1000;
        unsigned place = 0xffffffff - i;
        atomicMax(&best, number << 32 | place);
//= starter
//        // TODO: offer x[i] and i to best, in one word and by one atomic.
//= wrong number_only
//        unsigned long long number = x[i] + 1000;
//        atomicMax(&best, number << 32);
//= wrong sign_in_front
//        unsigned long long number = (unsigned)x[i];
//        unsigned place = 0xffffffff - i;
//        atomicMax(&best, number << 32 | place);
//= wrong last_of_equals
//        unsigned long long number = x[i] + 1000;
//        unsigned place = i;
//        atomicMax(&best, number << 32 | place);
//= wrong compared_and_stored
//        unsigned long long number = x[i] + 1000;
//        unsigned place = 0xffffffff - i;
//        unsigned long long mine = number << 32 | place;
//        if (mine > best) best = mine;
//= wrong one_thread
//        for (int k = i; threadIdx.x == 0 && k < min(i + 128, n); ++k) {
//            unsigned long long number = x[k] + 1000;
//            atomicMax(&best, number << 32 | (0xffffffff - k));
//        }
//= end
    }
    __syncthreads();

    if (threadIdx.x == 0) {
//= solution
        result[0] = (int)(best >> 32) - 1000;
        result[1] = 0xffffffff - (unsigned)best;
//= starter
//        // TODO: take the number and the place out of best.
//        result[0] = 0;
//        result[1] = 0;
//= wrong sign_in_front
//        result[0] = (int)(best >> 32);
//        result[1] = 0xffffffff - (unsigned)best;
//= wrong last_of_equals
//        result[0] = (int)(best >> 32) - 1000;
//        result[1] = (int)(unsigned)best;
//= end
    }
}
