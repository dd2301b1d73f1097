// Sums of runs: every lane gets the sum of the run that its element is in.
//
// An element whose mark is 0 begins a run. A run also begins with each warp, so
// that none crosses its edge. out[i] is the sum of the run of element i.
//
// Given: sum_up_to, which gives a lane the sum of lanes 0 to its own.

#define FULL 0xffffffff

__device__ int sum_up_to(int lane, int value) {
    for (int offset = 1; offset < 32; offset *= 2) {
        int below = __shfl_up_sync(FULL, value, offset);
        if (lane >= offset) value += below;
    }
    return value;
}

extern "C" __global__ void run_sums(
    const int* in, const int* mark, int* out, int n
) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int value = i < n ? in[i] : 0;
    bool begins = lane == 0 || (i < n && mark[i] == 0);

    int with_me = sum_up_to(lane, value);  // lanes 0 to my own
    int before_me = with_me - value;       // lanes 0 to the one before
//= solution
    unsigned heads = __ballot_sync(FULL, begins);
    unsigned up_to_me = FULL >> (31 - lane);
    unsigned later = heads & ~up_to_me;
    int first = 31 - __clz(heads & up_to_me);
    int last = later == 0 ? 31 : __ffs(later) - 2;
    int before = __shfl_sync(FULL, before_me, first);
    int sum = __shfl_sync(FULL, with_me, last) - before;
//= starter
//    // TODO: the lanes with which my run begins and ends. How can I find them?
//    int first = lane;
//    int last = lane;
//    // TODO: the sum of lanes first to last, from what those two lanes know.
//    int sum = with_me - before_me;
//= wrong ends_with_the_next
//    unsigned heads = __ballot_sync(FULL, begins);
//    unsigned up_to_me = FULL >> (31 - lane);
//    unsigned later = heads & ~up_to_me;
//    int first = 31 - __clz(heads & up_to_me);
//    int last = later == 0 ? 31 : __ffs(later) - 1;
//    int before = __shfl_sync(FULL, before_me, first);
//    int sum = __shfl_sync(FULL, with_me, last) - before;
//= wrong no_run_of_my_own
//    unsigned heads = __ballot_sync(FULL, begins);
//    unsigned up_to_me = FULL >> (31 - lane);
//    unsigned later = heads & ~up_to_me;
//    int first = lane == 0 ? 0 : 31 - __clz(heads & (up_to_me >> 1));
//    int last = later == 0 ? 31 : __ffs(later) - 2;
//    int before = __shfl_sync(FULL, before_me, first);
//    int sum = __shfl_sync(FULL, with_me, last) - before;
//= wrong not_for_the_first_run
//    unsigned heads = __ballot_sync(FULL, begins);
//    unsigned up_to_me = FULL >> (31 - lane);
//    unsigned later = heads & ~up_to_me;
//    int first = 31 - __clz(heads & up_to_me);
//    int last = later == 0 ? 31 : __ffs(later) - 2;
//    int sum = __shfl_sync(FULL, with_me, last);
//    if (first > 0) sum -= __shfl_sync(FULL, with_me, first - 1);
//= wrong only_so_far
//    unsigned heads = __ballot_sync(FULL, begins);
//    int first = 31 - __clz(heads & (FULL >> (31 - lane)));
//    int sum = with_me - __shfl_sync(FULL, before_me, first);
//= wrong lane_by_lane
//    int first = 0;
//    int last = 31;
//    for (int other = 31; other > 0; --other) {
//        bool head = __shfl_sync(FULL, begins, other);
//        if (head && other > lane) last = other - 1;
//        if (head && other <= lane && first == 0) first = other;
//    }
//    int before = __shfl_sync(FULL, before_me, first);
//    int sum = __shfl_sync(FULL, with_me, last) - before;
//= end

    if (i < n) out[i] = sum;
}
