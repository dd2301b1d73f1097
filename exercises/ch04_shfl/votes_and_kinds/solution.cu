// Votes of one warp: which lanes say yes, and which have the same kind as I?

#define FULL 0xffffffff

extern "C" __global__ void votes_and_kinds(
    int* nobody, int* first, int* count
) {
    int lane = threadIdx.x;

    unsigned votes = __ballot_sync(FULL, lane % 5 == 2);
    nobody[lane] = votes >> lane == 0;                        // (A)

    int kind = lane * lane % 7;
    unsigned same = __match_any_sync(FULL, kind);
    bool leads = __ffs(same) - 1 == lane;
    first[lane] = leads;                                      // (B)

    if (leads) {
        atomicAdd(&count[kind], __popc(same));                // (C)
    }
}
