// The sum of each row of a matrix, with one block for each row.
//
// matrix: one row after the other, each `width` numbers long, from 1 to 128.
// sums:   one place for each row.
// part:   shared memory for one row and no more; the launch sets its size.
// Launch: as many blocks as rows, each of 128 threads.

extern "C" __global__ void row_sums(const int* matrix, int* sums, int width) {
    extern __shared__ int part[];
    int i = threadIdx.x;
    const int* row = matrix + blockIdx.x * width;

    if (i < width) part[i] = row[i];
    __syncthreads();

    // TODO: with some widths, these rounds lose numbers.
    for (int half = width / 2; half > 0; half /= 2) {
        if (i < half) part[i] += part[i + half];
        __syncthreads();
    }

    if (i == 0) sums[blockIdx.x] = part[0];
}
