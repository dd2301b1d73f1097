// Products of 16 times 16 and 16 times 8 elements, one for each block of a warp.
//
// a, b: whole numbers, row after row; c becomes their product, row after row.
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

extern "C" __global__ void wrong_neighbours(const int* a, const int* b,
                                            float* c) {
    a += blockIdx.x * 256, b += blockIdx.x * 128, c += blockIdx.x * 128;
    int four = threadIdx.x / 4, two = threadIdx.x % 4 * 2;
    unsigned of_a[4], of_b[2];
    for (int i = 0; i < 4; i++) {
        const int* from = a + (four + i % 2 * 8) * 16 + two + i / 2 * 8;
        of_a[i] = pair(from[0], from[1]);
    }
    for (int i = 0; i < 2; i++) {
        const int* from = b + four * 8 + two + i * 64;
        of_b[i] = pair(from[0], from[1]);
    }
    float sums[4] = {};
    mma(sums, of_a, of_b);
    for (int i = 0; i < 4; i++) {
        c[(four + i / 2 * 8) * 8 + two + i % 2] = sums[i];
    }
}
