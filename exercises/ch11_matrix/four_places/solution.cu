// Four products of a warp, in which nearly all elements are zero.
//
// a: four registers of A, 16 times 16; b: two of B, 16 times 8; c: four of C, 16
// times 8. ONE is a one of bfloat16 in the lower half of a register, ONES are two.
// The arrays have an element for each lane, and start as zeros; `place` has one.

// C, 16 times 8, becomes A, 16 times 16, times B, 16 times 8, plus C.
__device__ void mma(float* c, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ bool sees(const float* c) {
    return c[0] != 0 || c[1] != 0 || c[2] != 0 || c[3] != 0;
}

extern "C" __global__ void four_places(int* single, int* place, int* of_a,
                                       int* of_lower_a, int* of_b) {
    const unsigned ONE = 0x3f80, ONES = 0x3f803f80;
    int lane = threadIdx.x;
    {
        // A(13, 0) and B(0, 6).
        unsigned a[4] = {0, lane == 20 ? ONE : 0}, b[2] = {lane == 24 ? ONE : 0};
        float c[4] = {};
        mma(c, a, b);
        if (sees(c)) {
            single[lane] = 1;
            place[0] = c[0] != 0 ? 0 : c[1] != 0 ? 1 : c[2] != 0 ? 2 : 3;
        }
    }
    {
        unsigned a[4] = {lane == 9 ? ONE : 0}, b[2] = {ONES, ONES};
        float c[4] = {};
        mma(c, a, b);
        if (sees(c)) of_a[lane] = 1;
    }
    {
        unsigned a[4] = {0, lane == 9 ? ONE : 0}, b[2] = {ONES, ONES};
        float c[4] = {};
        mma(c, a, b);
        if (sees(c)) of_lower_a[lane] = 1;
    }
    {
        unsigned a[4] = {ONES, ONES, ONES, ONES}, b[2] = {lane == 9 ? ONE : 0};
        float c[4] = {};
        mma(c, a, b);
        if (sees(c)) of_b[lane] = 1;
    }
}
