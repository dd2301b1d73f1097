// Products of 8 times 16 and 16 times 8 integers of eight bits, one for each block
// of a warp.
//
// a: rows of A, 16 bytes each; b: columns of B, 16 bytes each; c becomes their
// product, row after row. Built for sm_80.

// C, 8 times 8, becomes A, 8 times 16, times B, 16 times 8, plus C.
__device__ void mma(int* c, int a, int b) {
    asm("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 "
        "{%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+r"(c[0]), "+r"(c[1]) : "r"(a), "r"(b));
}

extern "C" __global__ void bytes_in_fours(const signed char* a,
                                          const signed char* b, int* c) {
    a += blockIdx.x * 128, b += blockIdx.x * 128, c += blockIdx.x * 64;
    int lane = threadIdx.x;
    const int *words_of_a = (const int*)a, *words_of_b = (const int*)b;
    int of_a = 0;  // TODO: four neighbours of a row
    int of_b = 0;  // TODO: four neighbours of a column
    int sums[2] = {};
    mma(sums, of_a, of_b);
    c[lane * 2] = sums[0];
    c[lane * 2 + 1] = sums[1];
}
