// One warp has a row of 32: every element becomes the sum of all elements
// before it in its row, without itself. The first of a row becomes 0.
//
// Given: `total` begins with each lane's own element. In five rounds, with
// distances 1, 2, 4, 8, 16, each lane adds the total that is `distance` places
// before its own, if its row has such a place. After these rounds, total[t] is
// the sum up to and including element t.
// To write: the body of a round, and what a lane stores at the end.
//
// Launch: blocks of 64 threads, a grid of whole rows.

extern "C" __global__ void running_total(const int* in, int* before) {
//= solution
    __shared__ int total[64];
//= wrong volatile_totals
//    __shared__ volatile int total[64];
//= end
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int t = threadIdx.x, lane = t % 32;

    int mine = in[i];
    total[t] = mine;
//= solution
    __syncwarp();
//= wrong volatile_totals
//= end
    for (int distance = 1; distance < 32; distance *= 2) {
//= solution
        int more = lane >= distance ? total[t - distance] : 0;
        __syncwarp();
        total[t] += more;
        __syncwarp();
//= starter
//        // TODO: add the total that is `distance` places before.
//= wrong one_barrier
//        if (lane >= distance) total[t] += total[t - distance];
//        __syncwarp();
//= wrong whole_block
//        int more = t >= distance ? total[t - distance] : 0;
//        __syncwarp();
//        total[t] += more;
//        __syncwarp();
//= wrong volatile_totals
//        int more = lane >= distance ? total[t - distance] : 0;
//        total[t] = total[t] + more;
//= wrong read_again
//        int more = lane >= distance ? total[t - distance] : 0;
//        __syncwarp();
//        if (lane >= distance) total[t] += total[t - distance];
//        __syncwarp();
//= end
    }
//= solution
    before[i] = total[t] - mine;
//= starter
//    before[i] = 0;  // TODO: the sum without this lane's own element.
//= wrong inclusive
//    before[i] = total[t];
//= end
}
