// Lowers a landscape until no point is more than 1 above a neighbour. In each
// round all points look at their four neighbours, and a point that is too high
// is lowered. The last round is the one in which no point moves.
//
// `land` holds 16 x 8 heights, row after row, and is changed; `rounds` gets the
// number of rounds, including the last one.
// Launch: one block of 16 x 8 threads, a thread for each point.
extern "C" __global__ void settle(int* land, int* rounds) {
    __shared__ int tile[8 + 2][16 + 2];
    int column = threadIdx.x + 1;
    int row = threadIdx.y + 1;
    int at = threadIdx.y * 16 + threadIdx.x;

    for (int k = at; k < 10 * 18; k += 128) tile[k / 18][k % 18] = 1000;
    __syncthreads();
    tile[row][column] = land[at];
    __syncthreads();

    int round = 0;
    bool again = true;
    while (again && round < 200) {
        int beside = min(tile[row][column - 1], tile[row][column + 1]);
        int across = min(tile[row - 1][column], tile[row + 1][column]);
        int own = tile[row][column];
        int lower = min(own, min(beside, across) + 1);
        bool moved = lower < own;
        __syncthreads();
        tile[row][column] = lower;
//= solution
        again = __syncthreads_or(moved);
//= starter
//        __syncthreads();
//        // TODO: set `again`: has any point of the block moved?
//= wrong own_point
//        __syncthreads();
//        again = moved;
//= wrong own_warp
//        __syncthreads();
//        again = __any_sync(0xffffffff, moved);
//= wrong all_moved
//        again = __syncthreads_and(moved);
//= end
        round++;
    }
    land[at] = tile[row][column];
    if (at == 0) *rounds = round;
}
