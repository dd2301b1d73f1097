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
        if (mine) {
            // TODO: one sum for all lanes of mask, and one of them adds it up.
        }
    }
}
