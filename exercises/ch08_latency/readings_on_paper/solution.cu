// A block of 64 threads reads 200 ints in three ways. x begins at a multiple
// of 16 bytes. y has a word for each thread.

extern "C" __global__ void three_walks(const int* x, int* y) {
    int thread = threadIdx.x, sum = 0;

#pragma unroll 1
    for (int i = thread; i < 200; i += 64) {
        sum += x[i];  // (A)
    }

#pragma unroll 1
    for (int i = 4 * thread; i < 4 * thread + 4 && i < 200; i++) {
        sum += x[i];  // (B)
    }

    if (4 * thread < 200) {
        int4 four = *(const int4*)(x + 4 * thread);  // (C)
        sum += four.x + four.y + four.z + four.w;
    }

    y[thread] = sum;
}
