// For every element: how far is it below the largest of its row? One warp has a
// row of 32. The largest is found in five rounds; in each, the lanes below
// `offset` look at what the lane `offset` places further on has found.
//
// Launch: blocks of 96 threads, a grid of whole rows.

extern "C" __global__ void row_maximum(const int* in, int* below) {
//= solution
    __shared__ int most[96];
//= wrong volatile_only
//    __shared__ volatile int most[96];
//= end
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int t = threadIdx.x, lane = t % 32;

    most[t] = in[i];
//= solution
    __syncwarp();
//= wrong volatile_only
//= wrong behind_the_rounds
//= end
    for (int offset = 16; offset > 0; offset /= 2) {
        if (lane < offset) {
            int further = most[t + offset];
            if (further > most[t]) most[t] = further;
//= solution
//= wrong inside_the_guard
//            __syncwarp();
//= end
        }
//= solution
        __syncwarp();
//= starter
//= wrong volatile_only
//= wrong inside_the_guard
//= wrong behind_the_rounds
//= end
    }
//= solution
//= wrong inside_the_guard
//    __syncwarp();
//= wrong behind_the_rounds
//    __syncwarp();
//= end

    below[i] = most[t - lane] - in[i];
}
