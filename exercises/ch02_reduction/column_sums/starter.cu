// The sums of the columns of a matrix.
//
// matrix: `height` rows of `width` numbers, row after row.
// sums:   one place for each column.
// part:   shared memory with a place for each thread.
// Launch: blocks of 32 x 8 threads, so the 32 threads of a row of the block are a
//         warp. A block has 32 columns, and the last block may have fewer.

extern "C" __global__ void column_sums(const int* matrix, int* sums, int width,
                                       int height) {
    __shared__ int part[8][32];
    int tx = threadIdx.x, ty = threadIdx.y;

    // TODO: add up the columns of this block.
}
