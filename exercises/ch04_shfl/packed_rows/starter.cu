// Packed rows: each warp moves the positive elements of its row of 32 to the
// front of the row, in their order, and stores how many there are.
//
// Warp r has the elements 32 r to 32 r + 31 of in. It writes to those places of
// rows, which holds zeros, and to counts[r]. Threads past the end keep nothing.

#define FULL 0xffffffff

extern "C" __global__ void packed_rows(
    const int* in, int* rows, int* counts, int n
) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int row = i / 32;
    int value = i < n ? in[i] : 0;
    bool kept = value > 0;

    int place = lane;  // TODO: how many kept elements come before this one?
    int count = 0;     // TODO: how many are there in the row?

    if (kept) rows[32 * row + place] = value;
    if (lane == 0) counts[row] = count;
}
