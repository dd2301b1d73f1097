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
//= solution
    int of_a = words_of_a[lane / 4 * 4 + lane % 4];
    int of_b = words_of_b[lane / 4 * 4 + lane % 4];
//= starter
//    int of_a = 0;  // TODO: four neighbours of a row
//    int of_b = 0;  // TODO: four neighbours of a column
//= wrong one_byte_each
//    int of_a = a[lane / 4 * 16 + lane % 4];
//    int of_b = b[lane / 4 * 16 + lane % 4];
//= wrong by_lane_modulo_eight
//    int of_a = words_of_a[lane % 8 * 4 + lane / 8];
//    int of_b = words_of_b[lane / 4 * 4 + lane % 4];
//= wrong b_by_rows
//    int of_a = words_of_a[lane / 4 * 4 + lane % 4];
//    int of_b = words_of_b[lane % 8 * 4 + lane / 8];
//= end
    int sums[2] = {};
    mma(sums, of_a, of_b);
    c[lane * 2] = sums[0];
    c[lane * 2 + 1] = sums[1];
}
