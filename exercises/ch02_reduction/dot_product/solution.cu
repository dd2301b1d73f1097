// The dot product of two lists, a[0] * b[0] + a[1] * b[1] + ..., with one sum
// for each part of the lists.
//
// a, b: n numbers each. A block's part has 512 of them, the last part may have
//       fewer.
// sums: one place for each block, for the sum of the products of its part.
// Launch: blocks of 128 threads, one block for each part.

extern "C" __global__ void dot_of_parts(const int* a, const int* b, int* sums,
                                        int n) {
    __shared__ int part[128];
    int t = threadIdx.x;
    int first = blockIdx.x * 512;
    int end = min(first + 512, n);

//= solution
    int sum = 0;
    for (int i = first + t; i < end; i += 128) sum += a[i] * b[i];
    part[t] = sum;
    __syncthreads();

    for (int half = 64; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
//= starter
//    // TODO: multiply, add up in part, and let one thread store the sum.
//= wrong four_side_by_side
//    int sum = 0;
//    for (int i = first + 4 * t; i < min(first + 4 * t + 4, end); i++) {
//        sum += a[i] * b[i];
//    }
//    part[t] = sum;
//    __syncthreads();
//    for (int half = 64; half > 0; half /= 2) {
//        if (t < half) part[t] += part[t + half];
//        __syncthreads();
//    }
//    if (t == 0) sums[blockIdx.x] = part[0];
//= wrong one_thread_adds
//    int sum = 0;
//    for (int i = first + t; i < end; i += 128) sum += a[i] * b[i];
//    part[t] = sum;
//    __syncthreads();
//    if (t == 0) {
//        for (int k = 1; k < 128; k++) sum += part[k];
//        sums[blockIdx.x] = sum;
//    }
//= wrong every_second_thread
//    int sum = 0;
//    for (int i = first + t; i < end; i += 128) sum += a[i] * b[i];
//    part[t] = sum;
//    __syncthreads();
//    for (int step = 1; step < 128; step *= 2) {
//        if (t % (2 * step) == 0) part[t] += part[t + step];
//        __syncthreads();
//    }
//    if (t == 0) sums[blockIdx.x] = part[0];
//= wrong all_to_one_word
//    if (t == 0) part[0] = 0;
//    __syncthreads();
//    int sum = 0;
//    for (int i = first + t; i < end; i += 128) sum += a[i] * b[i];
//    atomicAdd(&part[0], sum);
//    __syncthreads();
//    if (t == 0) sums[blockIdx.x] = part[0];
//= wrong leaves_early
//    if (first + t >= end) return;
//    int sum = 0;
//    for (int i = first + t; i < end; i += 128) sum += a[i] * b[i];
//    part[t] = sum;
//    __syncthreads();
//    for (int half = 64; half > 0; half /= 2) {
//        if (t < half) part[t] += part[t + half];
//        __syncthreads();
//    }
//    if (t == 0) sums[blockIdx.x] = part[0];
//= wrong last_product_only
//    part[t] = 0;
//    for (int i = first + t; i < end; i += 128) part[t] = a[i] * b[i];
//    __syncthreads();
//    for (int half = 64; half > 0; half /= 2) {
//        if (t < half) part[t] += part[t + half];
//        __syncthreads();
//    }
//    if (t == 0) sums[blockIdx.x] = part[0];
//= wrong one_barrier
//    int sum = 0;
//    for (int i = first + t; i < end; i += 128) sum += a[i] * b[i];
//    part[t] = sum;
//    __syncthreads();
//    for (int half = 64; half > 0; half /= 2) {
//        if (t < half) part[t] += part[t + half];
//    }
//    if (t == 0) sums[blockIdx.x] = part[0];
//= wrong whole_parts_only
//    int sum = 0;
//    for (int k = 0; k < 4; k++) {
//        int i = first + k * 128 + t;
//        sum += a[i] * b[i];
//    }
//    part[t] = sum;
//    __syncthreads();
//    for (int half = 64; half > 0; half /= 2) {
//        if (t < half) part[t] += part[t + half];
//        __syncthreads();
//    }
//    if (t == 0) sums[blockIdx.x] = part[0];
//= end
}
