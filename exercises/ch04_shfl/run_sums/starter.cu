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
    // TODO: the lanes with which my run begins and ends. How can I find them?
    int first = lane;
    int last = lane;
    // TODO: the sum of lanes first to last, from what those two lanes know.
    int sum = with_me - before_me;

    if (i < n) out[i] = sum;
}
