// Segment sums: sums that begin again at every head.
//
// Warp r has the elements 32 r to 32 r + 31. An element whose mark is 0 is the
// head of a segment, and so is the first element of each row. out[i] becomes
// the sum of the elements from the head of its segment to element i.

#define FULL 0xffffffff

extern "C" __global__ void segment_sums(
    const int* in, const int* marks, int* out, int n
) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int sum = i < n ? in[i] : 0;
    bool is_head = lane == 0 || (i < n && marks[i] == 0);

    // TODO: where does the segment of this lane begin?
    (void)is_head;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(FULL, sum, d);
        if (lane >= d) sum += left;
    }

    if (i < n) out[i] = sum;
}
