// How many of n numbers are above a limit, and what is their sum?
//
// In each warp one lane adds the sum of its warp to total[0], and the count to
// total[1]. A warp without such a number adds nothing. Both totals are zero
// before. If there are more numbers than threads, a warp takes several turns.
// Built for sm_80.
extern "C" __global__ void sum_of_some(const int* x, int* total, int n,
                                       int limit) {
    int lane = threadIdx.x % 32, threads = gridDim.x * blockDim.x;
    for (int first = blockIdx.x * blockDim.x; first < n; first += threads) {
        int i = first + threadIdx.x;
        bool mine = i < n && x[i] > limit;
        unsigned mask = __ballot_sync(0xffffffff, mine);
//= solution
        if (mine) {
            int sum = __reduce_add_sync(mask, x[i]);
            if (lane == __ffs(mask) - 1) {
                atomicAdd(&total[0], sum);
                atomicAdd(&total[1], __popc(mask));
            }
        }
//= starter
//        if (mine) {
//            // TODO: one sum for all lanes of mask, and one of them adds it up.
//        }
//= wrong lane_zero
//        if (mine) {
//            int sum = __reduce_add_sync(mask, x[i]);
//            if (lane == 0) {
//                atomicAdd(&total[0], sum);
//                atomicAdd(&total[1], __popc(mask));
//            }
//        }
//= wrong mask_of_all
//        if (mine) {
//            int sum = __reduce_add_sync(0xffffffff, x[i]);
//            if (lane == __ffs(mask) - 1) {
//                atomicAdd(&total[0], sum);
//                atomicAdd(&total[1], __popc(mask));
//            }
//        }
//= wrong sum_of_all
//        int sum = __reduce_add_sync(0xffffffff, i < n ? x[i] : 0);
//        if (mine && lane == __ffs(mask) - 1) {
//            atomicAdd(&total[0], sum);
//            atomicAdd(&total[1], __popc(mask));
//        }
//= wrong each_for_itself
//        if (mine) {
//            atomicAdd(&total[0], x[i]);
//            if (lane == __ffs(mask) - 1) atomicAdd(&total[1], __popc(mask));
//        }
//= wrong lanes_of_the_warp
//        if (mine) {
//            int sum = __reduce_add_sync(mask, x[i]);
//            if (lane == __ffs(mask) - 1) {
//                atomicAdd(&total[0], sum);
//                atomicAdd(&total[1], 32);
//            }
//        }
//= wrong five_shuffles
//        int sum = mine ? x[i] : 0;
//        for (int far = 16; far > 0; far /= 2) {
//            sum += __shfl_xor_sync(0xffffffff, sum, far);
//        }
//        if (mine && lane == __ffs(mask) - 1) {
//            atomicAdd(&total[0], sum);
//            atomicAdd(&total[1], __popc(mask));
//        }
//= end
    }
}
