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

//= solution
    unsigned votes = __ballot_sync(FULL, begins);
    if (lane == 0) of_warp[warp] = __popc(votes);
    __syncthreads();
    int place = __popc(votes & ((1u << lane) - 1));
    for (int other = 0; other < warp; other++) place += of_warp[other];
//= starter
//    int place = i;  // TODO: how many runs begin before element i?
//    (void)lane, (void)warp, (void)of_warp;
//= wrong of_this_warp
//    unsigned votes = __ballot_sync(FULL, begins);
//    int place = __popc(votes & ((1u << lane) - 1));
//    (void)warp, (void)of_warp;
//= wrong no_barrier
//    unsigned votes = __ballot_sync(FULL, begins);
//    if (lane == 0) of_warp[warp] = __popc(votes);
//    int place = __popc(votes & ((1u << lane) - 1));
//    for (int other = 0; other < warp; other++) place += of_warp[other];
//= wrong own_run_too
//    unsigned votes = __ballot_sync(FULL, begins);
//    if (lane == 0) of_warp[warp] = __popc(votes);
//    __syncthreads();
//    int place = __popc(votes & ((2u << lane) - 1));
//    for (int other = 0; other < warp; other++) place += of_warp[other];
//= wrong as_they_come
//    unsigned votes = __ballot_sync(FULL, begins);
//    if (i == 0) of_warp[0] = 0;
//    __syncthreads();
//    int place = 0;
//    if (lane == 0) place = atomicAdd(&of_warp[0], __popc(votes));
//    place = __shfl_sync(FULL, place, 0) + __popc(votes & ((1u << lane) - 1));
//    (void)warp;
//= wrong whole_warps
//    unsigned votes = __ballot_sync(FULL, begins);
//    int place = 32 * warp + __popc(votes & ((1u << lane) - 1));
//    (void)of_warp;
//= end

    if (begins) starts[place] = i;
    if (i == blockDim.x - 1) count[0] = place + begins;
}
