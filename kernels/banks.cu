// Banks: which lanes of a warp have to wait for one another in shared memory?
//
// Shared memory is dealt out to 32 banks, word by word: word k is in bank k % 32. A bank gives one word at a time, so
// lanes that ask one bank for different words are served one after the other.
//
//   read_strided  Lane i reads word i * stride of a table. An odd stride reaches every bank once; the more often a
//                 stride can be halved, the more lanes meet in a bank, and at 32 all of them do.
//
// Launch: one block of 32 threads.
// Preconditions: 0 <= stride <= 33; z holds 32 elements.
//
// builds: sm_70

// ANCHOR: read_strided
extern "C" __global__ void read_strided(int* z, int stride) {
    __shared__ int table[32 * 33];
    int lane = threadIdx.x;
    for (int k = lane; k < 32 * 33; k += 32) table[k] = k;
    __syncthreads();

    z[lane] = table[lane * stride];
}
// ANCHOR_END: read_strided
