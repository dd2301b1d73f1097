// For every element: how far is it below the largest of its row? One warp has a
// row of 32. The largest is found in five rounds; in each, the lanes below
// `offset` look at what the lane `offset` places further on has found.
//
// Launch: blocks of 96 threads, a grid of whole rows.

extern "C" __global__ void row_maximum(const int* in, int* below) {
    __shared__ int most[96];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int t = threadIdx.x, lane = t % 32;

    most[t] = in[i];
    __syncwarp();
    for (int offset = 16; offset > 0; offset /= 2) {
        if (lane < offset) {
            int further = most[t + offset];
            if (further > most[t]) most[t] = further;
        }
    }

    below[i] = most[t - lane] - in[i];
}
