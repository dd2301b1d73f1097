// Run starts: where each run of equal elements begins.
//
// A run is a stretch of equal neighbours. One block has a thread for each
// element. starts becomes the list of the indices at which runs begin, in
// ascending order, and count[0] their number. starts holds zeros before.

#define FULL 0xffffffff

extern "C" __global__ void run_starts(
    const int* in, int* starts, int* count, int n
) {
    __shared__ int of_warp[32];
    int i = threadIdx.x;
    int lane = i % 32, warp = i / 32;
    bool begins = i < n && (i == 0 || in[i] != in[i - 1]);

    int place = i;  // TODO: how many runs begin before element i?
    (void)lane, (void)warp, (void)of_warp;

    if (begins) starts[place] = i;
    if (i == blockDim.x - 1) count[0] = place + begins;
}
