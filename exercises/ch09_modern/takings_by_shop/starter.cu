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

        // TODO: one addition for each shop of a warp.
        (void)valid, (void)lane;
        atomicAdd(&total[own], amount[i]);
    }
}
