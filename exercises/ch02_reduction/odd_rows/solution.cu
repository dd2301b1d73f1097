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

//= solution
    // Rounded up: an odd number in the middle is left for the next round.
    for (int left = width, half; left > 1; left = half) {
        half = (left + 1) / 2;
        if (i + half < left) part[i] += part[i + half];
        __syncthreads();
    }
//= starter
//    // TODO: with some widths, these rounds lose numbers.
//    for (int half = width / 2; half > 0; half /= 2) {
//        if (i < half) part[i] += part[i + half];
//        __syncthreads();
//    }
//= wrong rounded_up
//    for (int left = width, half; left > 1; left = half) {
//        half = (left + 1) / 2;
//        if (i < half) part[i] += part[i + half];
//        __syncthreads();
//    }
//= wrong padded_with_zeros
//    if (i >= width) part[i] = 0;
//    __syncthreads();
//    for (int half = 64; half > 0; half /= 2) {
//        if (i < half) part[i] += part[i + half];
//        __syncthreads();
//    }
//= wrong first_round_only
//    if (i == 0 && width > 1 && width % 2 == 1) part[0] += part[width - 1];
//    for (int half = width / 2; half > 0; half /= 2) {
//        if (i < half) part[i] += part[i + half];
//        __syncthreads();
//    }
//= wrong never_below_one
//    for (int half = (width + 1) / 2; half > 0; half = (half + 1) / 2) {
//        if (i < half && i + half < width) part[i] += part[i + half];
//        __syncthreads();
//    }
//= wrong by_another_thread
//    for (int left = width, half; left > 1; left = half) {
//        half = left / 2;
//        if (i < half) part[i] += part[i + half];
//        if (i == half && left % 2 == 1) part[0] += part[left - 1];
//        __syncthreads();
//    }
//= end

    if (i == 0) sums[blockIdx.x] = part[0];
}
