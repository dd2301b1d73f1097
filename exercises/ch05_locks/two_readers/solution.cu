// One message and two readers: warp 1 of the writer's own block, and warp 2 of
// the other block. All fences are fences for the block.
//
// data, flag and got are zero before; got has a word for each block.
extern "C" __global__ void two_readers(int* data, volatile int* flag,
                                       int* got) {
    int warp = threadIdx.x / 32, block = blockIdx.x;
    if (threadIdx.x % 32 != 0) return;
    if (block == 0 && warp == 0) {
        *data = 7;  // (A)
        __threadfence_block();
        *flag = 1;  // (B)
    }
    if (warp == block + 1) {
        int patience = 100000;
        while (*flag == 0 && --patience > 0) {}  // (C)
        __threadfence_block();
        if (patience > 0) got[block] = *data;  // (D)
    }
}
