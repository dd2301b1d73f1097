// Several steps of heat on a ring in one launch.
//
// In a step each point becomes half of its own value plus a quarter of the value
// on either side. The points form a ring: the last one lies beside the first.
//
// A block computes 128 points. After one step they depend on one more point on
// either side, after two steps on two more, and so on. So the block loads as many
// points on either side as there are steps, and computes all steps in its tiles.
// In each step there is one point less on either side that can be computed.
//
// u, next: n points, from 1 on. steps: 0 to 8.
// Launch: blocks of 128 threads that cover the ring; the last may overhang it.

#define POINTS 128
#define MOST_STEPS 8

extern "C" __global__ void steps_on_ring(const float* u, float* next, int steps,
                                         int n) {
    __shared__ float tile[2][POINTS + 2 * MOST_STEPS];
    int t = threadIdx.x;
    int cells = POINTS + 2 * steps;
    int first = blockIdx.x * POINTS - steps;  // the point in cell 0

//= solution
    for (int k = t; k < cells; k += POINTS) {
        int around = (first + k) % n;
        tile[0][k] = u[around < 0 ? around + n : around];
    }
    __syncthreads();

    for (int step = 1; step <= steps; step++) {
        const float* before = tile[(step - 1) % 2];
        float* after = tile[step % 2];
        for (int k = step + t; k < cells - step; k += POINTS) {
            after[k] = 0.5f * before[k] + 0.25f * (before[k - 1] + before[k + 1]);
        }
        __syncthreads();
    }
//= starter
//    // TODO: fill tile[0] with the points of all cells, and compute the steps
//    // from one tile to the other. The last step goes to tile[steps % 2].
//= wrong closed_at_the_ends
//    for (int k = t; k < cells; k += POINTS) {
//        tile[0][k] = u[min(max(first + k, 0), n - 1)];
//    }
//    __syncthreads();
//    for (int step = 1; step <= steps; step++) {
//        const float* before = tile[(step - 1) % 2];
//        float* after = tile[step % 2];
//        for (int k = step + t; k < cells - step; k += POINTS) {
//            after[k] = 0.5f * before[k] + 0.25f * (before[k - 1] + before[k + 1]);
//        }
//        __syncthreads();
//    }
//= wrong once_around
//    for (int k = t; k < cells; k += POINTS) {
//        int around = first + k;
//        if (around < 0) around += n;
//        if (around >= n) around -= n;
//        tile[0][k] = u[around];
//    }
//    __syncthreads();
//    for (int step = 1; step <= steps; step++) {
//        const float* before = tile[(step - 1) % 2];
//        float* after = tile[step % 2];
//        for (int k = step + t; k < cells - step; k += POINTS) {
//            after[k] = 0.5f * before[k] + 0.25f * (before[k - 1] + before[k + 1]);
//        }
//        __syncthreads();
//    }
//= wrong all_cells_again
//    for (int k = t; k < cells; k += POINTS) {
//        int around = (first + k) % n;
//        tile[0][k] = u[around < 0 ? around + n : around];
//    }
//    __syncthreads();
//    for (int step = 1; step <= steps; step++) {
//        const float* before = tile[(step - 1) % 2];
//        float* after = tile[step % 2];
//        for (int k = 1 + t; k < cells - 1; k += POINTS) {
//            after[k] = 0.5f * before[k] + 0.25f * (before[k - 1] + before[k + 1]);
//        }
//        __syncthreads();
//    }
//= wrong own_points_only
//    for (int k = t; k < cells; k += POINTS) {
//        int around = (first + k) % n;
//        tile[0][k] = u[around < 0 ? around + n : around];
//    }
//    __syncthreads();
//    for (int step = 1; step <= steps; step++) {
//        const float* before = tile[(step - 1) % 2];
//        float* after = tile[step % 2];
//        int k = steps + t;
//        after[k] = 0.5f * before[k] + 0.25f * (before[k - 1] + before[k + 1]);
//        __syncthreads();
//    }
//= wrong no_wait
//    for (int k = t; k < cells; k += POINTS) {
//        int around = (first + k) % n;
//        tile[0][k] = u[around < 0 ? around + n : around];
//    }
//    __syncthreads();
//    for (int step = 1; step <= steps; step++) {
//        const float* before = tile[(step - 1) % 2];
//        float* after = tile[step % 2];
//        for (int k = step + t; k < cells - step; k += POINTS) {
//            after[k] = 0.5f * before[k] + 0.25f * (before[k - 1] + before[k + 1]);
//        }
//    }
//    __syncthreads();
//= wrong in_one_tile
//    float* cell = tile[steps % 2];
//    for (int k = t; k < cells; k += POINTS) {
//        int around = (first + k) % n;
//        cell[k] = u[around < 0 ? around + n : around];
//    }
//    __syncthreads();
//    for (int step = 1; step <= steps; step++) {
//        for (int k = step + t; k < cells - step; k += POINTS) {
//            cell[k] = 0.5f * cell[k] + 0.25f * (cell[k - 1] + cell[k + 1]);
//        }
//        __syncthreads();
//    }
//= wrong barrier_in_the_loop
//    for (int k = t; k < cells; k += POINTS) {
//        int around = (first + k) % n;
//        tile[0][k] = u[around < 0 ? around + n : around];
//    }
//    __syncthreads();
//    for (int step = 1; step <= steps; step++) {
//        const float* before = tile[(step - 1) % 2];
//        float* after = tile[step % 2];
//        for (int k = step + t; k < cells - step; k += POINTS) {
//            after[k] = 0.5f * before[k] + 0.25f * (before[k - 1] + before[k + 1]);
//            __syncthreads();
//        }
//    }
//= wrong each_its_own_halo
//    float own[POINTS];
//    for (int k = 0; k < 1 + 2 * steps; k++) {
//        int around = (first + t + k) % n;
//        own[k] = u[around < 0 ? around + n : around];
//    }
//    for (int left = 2 * steps; left > 0; left -= 2) {
//        for (int k = 0; k <= left - 2; k++) {
//            own[k] = 0.5f * own[k + 1] + 0.25f * (own[k] + own[k + 2]);
//        }
//    }
//    tile[steps % 2][steps + t] = own[0];
//    __syncthreads();
//= end

    int i = blockIdx.x * POINTS + t;
    if (i < n) next[i] = tile[steps % 2][steps + t];
}
