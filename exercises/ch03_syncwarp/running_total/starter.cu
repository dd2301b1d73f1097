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
    __shared__ int total[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int t = threadIdx.x, lane = t % 32;

    int mine = in[i];
    total[t] = mine;
    __syncwarp();
    for (int distance = 1; distance < 32; distance *= 2) {
        // TODO: add the total that is `distance` places before.
    }
    before[i] = 0;  // TODO: the sum without this lane's own element.
}
