// Three belts: where the boxes of each shelf go.
//
// Each lane is a shelf, and each warp a row of 32 shelves. A shelf sends up to
// 20 boxes to each of three belts: sent[3 * i], sent[3 * i + 1] and
// sent[3 * i + 2] for shelf i. first has the same layout, and becomes the place
// of the shelf's first box on each belt: how many boxes the shelves before it
// in its row send there. There are n shelves, and a thread for each of them.

#define FULL 0xffffffff

// The sum of the values of all lanes up to this one.
__device__ unsigned scan_of_warp(unsigned sum) {
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        unsigned left = __shfl_up_sync(FULL, sum, d);
        if (lane >= d) sum += left;
    }
    return sum;
}

extern "C" __global__ void three_counts(const int* sent, int* first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned red = i < n ? sent[3 * i] : 0;
    unsigned green = i < n ? sent[3 * i + 1] : 0;
    unsigned blue = i < n ? sent[3 * i + 2] : 0;

    // TODO: one scan is enough.
    red = scan_of_warp(red) - red;
    green = scan_of_warp(green) - green;
    blue = scan_of_warp(blue) - blue;

    if (i < n) {
        first[3 * i] = red;
        first[3 * i + 1] = green;
        first[3 * i + 2] = blue;
    }
}
