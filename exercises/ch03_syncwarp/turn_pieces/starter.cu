// One block processes an array of any length from 1 on, 64 elements in each
// turn of its loop. It reverses every piece of 64 in its place (the last piece
// may be shorter), and stores the largest element of all.
//
// Launch: one block of 64 threads. `data` holds n numbers, `largest` one.

extern "C" __global__ void turn_pieces(int* data, int* largest, int n) {
    __shared__ int piece[64], most;
    int t = threadIdx.x, mine = -0x7fffffff - 1;
    if (t == 0) most = mine;

    for (int i = t; i < n; i += 64) {
        int start = i - t;
        piece[t] = data[i];
        __syncthreads();
        int length = min(64, n - start);
        data[i] = piece[length - 1 - t];
        mine = max(mine, piece[t]);
        __syncthreads();
    }

    atomicMax(&most, mine);
    __syncthreads();
    if (t == 0) *largest = most;
}
