// The largest number in each block's part of a list, and its index.
//
// x:       n numbers. The part of a block has 128 of them, and that of the last
//          block may have fewer.
// largest: one place for each block, for the largest number of its part.
// where:   one place for each block, for the index of that number in x. If several
//          numbers are equally large, the lowest index counts.
// Launch: blocks of 128 threads, one block for each part.

extern "C" __global__ void largest_and_where(const int* x, int* largest, int* where,
                                             int n) {
    __shared__ int value[128];
    __shared__ int index[128];
    int t = threadIdx.x;
    int i = blockIdx.x * 128 + t;

    // A thread without a number has the lowest int, and an index after all others.
    value[t] = i < n ? x[i] : -0x7fffffff - 1;
    index[t] = i;
    __syncthreads();

    for (int half = 64; half > 0; half /= 2) {
        if (t < half) {
            // TODO: take over the partner's number and index if they are the
            // better ones.
        }
        __syncthreads();
    }

    if (t == 0) {
        largest[blockIdx.x] = value[0];
        where[blockIdx.x] = index[0];
    }
}
