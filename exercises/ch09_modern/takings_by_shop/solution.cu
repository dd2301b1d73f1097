// The takings of each shop.
//
// Receipt i is of shop[i] and of amount[i]. Shops have the numbers 0 to 11, and
// a receipt of shop -1 has been cancelled. total[s] becomes the sum of the
// amounts of shop s; it is zero before. If there are more receipts than threads,
// a warp takes several turns. Built for sm_80.

#define FULL 0xffffffff

extern "C" __global__ void takings_by_shop(const int* shop, const int* amount,
                                           int* total, int n) {
    int lane = threadIdx.x % 32, threads = gridDim.x * blockDim.x;
    for (int first = blockIdx.x * blockDim.x; first < n; first += threads) {
        int i = first + threadIdx.x;
        int own = i < n ? shop[i] : -1;
        unsigned valid = __ballot_sync(FULL, own >= 0);
        if (own < 0) continue;

//= solution
        unsigned same = __match_any_sync(valid, own);
        int sum = __reduce_add_sync(same, amount[i]);
        if (lane == __ffs(same) - 1) atomicAdd(&total[own], sum);
//= starter
//        // TODO: one addition for each shop of a warp.
//        (void)valid, (void)lane;
//        atomicAdd(&total[own], amount[i]);
//= wrong match_of_all
//        unsigned same = __match_any_sync(FULL, own);
//        int sum = __reduce_add_sync(same, amount[i]);
//        if (lane == __ffs(same) - 1) atomicAdd(&total[own], sum);
//        (void)valid;
//= wrong sum_of_all
//        unsigned same = __match_any_sync(valid, own);
//        int sum = __reduce_add_sync(valid, amount[i]);
//        if (lane == __ffs(same) - 1) atomicAdd(&total[own], sum);
//= wrong all_add
//        unsigned same = __match_any_sync(valid, own);
//        int sum = __reduce_add_sync(same, amount[i]);
//        atomicAdd(&total[own], sum);
//        (void)lane;
//= wrong lane_zero_adds
//        unsigned same = __match_any_sync(valid, own);
//        int sum = __reduce_add_sync(same, amount[i]);
//        if (lane == 0) atomicAdd(&total[own], sum);
//= wrong leader_adds_up
//        unsigned same = __match_any_sync(valid, own);
//        if (lane == __ffs(same) - 1) {
//            int sum = __reduce_add_sync(same, amount[i]);
//            atomicAdd(&total[own], sum);
//        }
//= wrong shop_by_shop
//        for (int s = 0; s < 12; s++) {
//            int sum = __reduce_add_sync(valid, own == s ? amount[i] : 0);
//            if (lane == __ffs(valid) - 1) atomicAdd(&total[s], sum);
//        }
//= end
    }
}
