// Split by a bit: one step of a radix sort.
//
// One block has a thread for each element. out becomes the elements whose bit
// is 0, followed by those whose bit is 1, each group in its original order.

#define FULL 0xffffffff

// How many of the threads before this one say yes; all becomes how many of the
// block do. The whole block calls it.
__device__ int before(bool yes, int* of_warp, int* all) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned votes = __ballot_sync(FULL, yes);
    if (lane == 0) of_warp[warp] = __popc(votes);
    __syncthreads();
    int count = __popc(votes & ((1u << lane) - 1));
    *all = 0;
    for (int other = 0; other < blockDim.x / 32; other++) {
        if (other < warp) count += of_warp[other];
        *all += of_warp[other];
    }
    return count;
}

extern "C" __global__ void split_by_bit(
    const int* in, int* out, int bit, int n
) {
    __shared__ int of_warp[32];
    int i = threadIdx.x;
    int value = i < n ? in[i] : 0;
    bool is_zero = i < n && (value >> bit & 1) == 0;

    int all = 0;

//= solution
    int zeros = before(is_zero, of_warp, &all);
    int place = is_zero ? zeros : all + i - zeros;
//= starter
//    int zeros = before(is_zero, of_warp, &all);
//    int place = is_zero ? zeros : i;  // TODO: where do the ones begin?
//= wrong from_the_end
//    int zeros = before(is_zero, of_warp, &all);
//    int place = is_zero ? zeros : n - 1 - (i - zeros);
//= wrong zeros_of_the_warp
//    int zeros = before(is_zero, of_warp, &all);
//    all = __popc(__ballot_sync(FULL, is_zero));
//    int place = is_zero ? zeros : all + i - zeros;
//= wrong asks_twice
//    int zeros = before(is_zero, of_warp, &all);
//    int ones = before(i < n && !is_zero, of_warp, &all);
//    int place = is_zero ? zeros : n - all + ones;
//= wrong asked_on_one_side
//    int place = i;
//    if (is_zero) place = before(true, of_warp, &all);
//    else place = all + i;
//= wrong ones_first
//    int ones = before(i < n && !is_zero, of_warp, &all);
//    int place = is_zero ? all + i - ones : ones;
//= end

    if (i < n) out[place] = value;
}
