// Marks of juries: the best and the worst mark do not count.
//
// A jury is eight neighbouring lanes, so a warp has four. mark[i] is the mark of
// lane i, and n is a multiple of 8. score[i / 8] becomes the sum of the jury's
// marks without the highest and the lowest. There is a thread for each mark, and
// the last warp may have fewer than four juries. Built for sm_80.

extern "C" __global__ void juries(const int* mark, int* score, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    if (i >= n) return;

    unsigned jury = 0xff;  // TODO: the eight lanes of this lane's jury
    int sum = __reduce_add_sync(jury, mark[i]);
    int highest = __reduce_max_sync(jury, mark[i]);
    int lowest = __reduce_min_sync(jury, mark[i]);

    if (lane % 8 == 0) score[i / 8] = sum - highest - lowest;
}
