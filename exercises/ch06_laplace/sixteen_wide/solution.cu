// A plate loses heat at its rim. Points of the rim report their heat as a loss,
// and all others how much they differ from the points beside them. A warp has
// lanes for two rows of its block.
//
// Launch: 2 blocks of 16 x 16 threads side by side. The plate is 24 points wide
// and 16 high, so the second block is not full.
extern "C" __global__ void rim_and_inside(const int* heat, int* loss, int* step,
                                          int width, int height) {
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = threadIdx.y;
    if (x >= width || y >= height) return;

    int at = y * width + x;
    int own = heat[at];
    if (x == 0 || x == width - 1 || y == 0 || y == height - 1) {
        atomicAdd(loss, own);  // (A)
    } else {
        step[at] = heat[at - 1] + heat[at + 1] - 2 * own;  // (B)
    }
}
