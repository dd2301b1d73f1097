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

//= solution
    unsigned votes = __ballot_sync(FULL, kept);
    unsigned below = (1u << lane) - 1;
    int place = __popc(votes & below);
    int count = __popc(votes);
//= starter
//    int place = lane;  // TODO: how many kept elements come before this one?
//    int count = 0;     // TODO: how many are there in the row?
//= wrong own_bit_too
//    unsigned votes = __ballot_sync(FULL, kept);
//    unsigned below = (2u << lane) - 1;
//    int place = __popc(votes & below);
//    int count = __popc(votes);
//= wrong lanes_above
//    unsigned votes = __ballot_sync(FULL, kept);
//    int place = __popc(votes >> lane) - 1;
//    int count = __popc(votes);
//= wrong asked_in_the_branch
//    int place = 0;
//    int count = 0;
//    if (kept) {
//        unsigned votes = __ballot_sync(FULL, true);
//        place = __popc(votes & ((1u << lane) - 1));
//        count = __popc(votes);
//    }
//= wrong who_is_active
//    unsigned votes = __ballot_sync(__activemask(), kept);
//    unsigned below = (1u << lane) - 1;
//    int place = __popc(votes & below);
//    int count = __popc(votes);
//= wrong a_place_from_a_counter
//    int place = kept ? atomicAdd(&counts[row], 1) : 0;
//    int count = __popc(__ballot_sync(FULL, kept));
//= wrong lane_by_lane
//    int place = 0;
//    int count = 0;
//    for (int other = 0; other < 32; ++other) {
//        int theirs = __shfl_sync(FULL, value, other) > 0;
//        if (other < lane) place += theirs;
//        count += theirs;
//    }
//= wrong running_count
//    int so_far = kept;
//    for (int offset = 1; offset < 32; offset *= 2) {
//        int below = __shfl_up_sync(FULL, so_far, offset);
//        if (lane >= offset) so_far += below;
//    }
//    int place = so_far - kept;
//    int count = __shfl_sync(FULL, so_far, 31);
//= end

    if (kept) rows[32 * row + place] = value;
    if (lane == 0) counts[row] = count;
}
