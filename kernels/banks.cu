// Banks: which lanes of a warp have to wait for one another in shared memory?
//
// The words of shared memory take turns in 32 banks: word k is in bank k % 32. A bank delivers one word at a time, so
// lanes that want different words from one bank are served one after the other.
//
//   read_strided  Lane i reads word i * stride of a table. The stride decides how many lanes want words from the same
//                 bank: for which strides is it a single lane, and for which are there many?
//
// Launch: one block of 32 threads.
// Preconditions: 0 <= stride <= 33; z has 32 elements.
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
