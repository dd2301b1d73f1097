// How long a delivery tour still takes, from each of its n stops.
//
// left[i] becomes minutes[i] + minutes[i + 1] + ... up to the last stop. A tile
// is 32 stops, and a block of 32 threads works on one tile. A tile needs what is
// left at the first stop of the next tile, and gets it in a word: 0 as long as
// it is not there, and otherwise one more than the minutes.
//
// There are as many blocks as tiles. words has a word for each tile. words and
// drawn are zero before, and afterwards drawn is the number of tiles that were
// given out. Blocks may start in any order, and the GPU may have room for only
// one at a time. A block that has looked `patience` times gives up.
#include <cuda/atomic>

#define FULL 0xffffffff

using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;

extern "C" __global__ void time_left(const int* minutes, int* left, int* words,
                                     int* drawn, int n, int patience) {
    int lane = threadIdx.x;
    int tile = blockIdx.x;

    int i = 32 * tile + lane;
    int sum = i < n ? minutes[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int right = __shfl_down_sync(FULL, sum, d);
        if (lane + d < 32) sum += right;
    }

    int after = 1;
    if (lane == 0 && tile + 1 < gridDim.x) {
        Word next(words[tile + 1]);
        do {
            after = next.load(cuda::memory_order_relaxed);
        } while (after == 0 && --patience > 0);
    }
    after = __shfl_sync(FULL, after, 0);
    if (after == 0) return;

    sum += after - 1;
    if (i < n) left[i] = sum;
    if (lane == 0) Word(words[tile]).store(sum + 1, cuda::memory_order_relaxed);
}
