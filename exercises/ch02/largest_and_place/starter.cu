// The largest number of each block's part of a list, and where it stands.
//
// x:       n numbers. A block's part has 128 of them, the last one's may be
//          shorter.
// largest: one place for each block: the largest number of its part.
// where:   one place for each block: the index of that number in x. Where several
//          are equally large, the lowest index counts.
// Launch: blocks of 128 threads, as few as there are parts.

extern "C" __global__ void largest_and_where(const int* x, int* largest, int* where,
                                             int n) {
    __shared__ int value[128];
    __shared__ int index[128];
    int t = threadIdx.x;
    int i = blockIdx.x * 128 + t;

    // A thread without a number has the lowest int, and an index behind all others.
    value[t] = i < n ? x[i] : -0x7fffffff - 1;
    index[t] = i;
    __syncthreads();

    for (int half = 64; half > 0; half /= 2) {
        if (t < half) {
            // TODO: take over the partner's number and index, if it has the better
            // ones.
        }
        __syncthreads();
    }

    if (t == 0) {
        largest[blockIdx.x] = value[0];
        where[blockIdx.x] = index[0];
    }
}
