// Products of A, which has 1 to 8 rows of 16 elements, and B, 16 rows of 8; one
// for each block of a warp.
//
// a, b: whole numbers, row after row; c becomes their product, `rows` rows of 8.
// Built for sm_80.

// C, 16 times 8, becomes A, 16 times 16, times B, 16 times 8, plus C.
__device__ void mma(float* c, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Two whole numbers as bfloat16 in one register, the first in the lower half.
__device__ unsigned pair(int first, int second) {
    return __float_as_uint((float)first) >> 16 |
           (__float_as_uint((float)second) & 0xffff0000u);
}

extern "C" __global__ void few_rows(const int* a, const int* b, float* c,
                                    int rows) {
    a += blockIdx.x * rows * 16, b += blockIdx.x * 128, c += blockIdx.x * rows * 8;
    int four = threadIdx.x / 4, two = threadIdx.x % 4 * 2;
    unsigned of_a[4] = {}, of_b[2] = {};
    float sums[4] = {};
//= solution
    const int* row = a + four * 16 + two;
    if (four < rows) of_a[0] = pair(row[0], row[1]), of_a[2] = pair(row[8], row[9]);
    for (int i = 0; i < 2; i++) {
        const int* from = b + (two + i * 8) * 8 + four;
        of_b[i] = pair(from[0], from[8]);
    }
    mma(sums, of_a, of_b);
    if (four < rows) c[four * 8 + two] = sums[0], c[four * 8 + two + 1] = sums[1];
//= starter
//    if (four >= rows) return;
//    const int* row = a + four * 16 + two;
//    of_a[0] = pair(row[0], row[1]), of_a[2] = pair(row[8], row[9]);
//    for (int i = 0; i < 2; i++) {
//        const int* from = b + (two + i * 8) * 8 + four;
//        of_b[i] = pair(from[0], from[8]);
//    }
//    mma(sums, of_a, of_b);
//    c[four * 8 + two] = sums[0], c[four * 8 + two + 1] = sums[1];
//= wrong around_the_multiplication
//    const int* row = a + four * 16 + two;
//    for (int i = 0; i < 2; i++) {
//        const int* from = b + (two + i * 8) * 8 + four;
//        of_b[i] = pair(from[0], from[8]);
//    }
//    if (four < rows) {
//        of_a[0] = pair(row[0], row[1]), of_a[2] = pair(row[8], row[9]);
//        mma(sums, of_a, of_b);
//        c[four * 8 + two] = sums[0], c[four * 8 + two + 1] = sums[1];
//    }
//= wrong nobody_leaves
//    const int* row = a + four * 16 + two;
//    of_a[0] = pair(row[0], row[1]), of_a[2] = pair(row[8], row[9]);
//    for (int i = 0; i < 2; i++) {
//        const int* from = b + (two + i * 8) * 8 + four;
//        of_b[i] = pair(from[0], from[8]);
//    }
//    mma(sums, of_a, of_b);
//    c[four * 8 + two] = sums[0], c[four * 8 + two + 1] = sums[1];
//= wrong b_has_rows_too
//    const int* row = a + four * 16 + two;
//    if (four < rows) {
//        of_a[0] = pair(row[0], row[1]), of_a[2] = pair(row[8], row[9]);
//        for (int i = 0; i < 2; i++) {
//            const int* from = b + (two + i * 8) * 8 + four;
//            of_b[i] = pair(from[0], from[8]);
//        }
//    }
//    mma(sums, of_a, of_b);
//    if (four < rows) c[four * 8 + two] = sums[0], c[four * 8 + two + 1] = sums[1];
//= end
}
