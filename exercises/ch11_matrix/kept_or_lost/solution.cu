// Sums of products of f16 and an accumulator: by one multiplication, and one after
// another by a thread.
//
// The bits of an f16: 1 is 0x3c00, 3 is 0x4200, 2^12 is 0x6c00, 2^13 is 0x7000, and
// 0x8000 more is its negative.

__device__ float at_once(float c, unsigned first_a, unsigned first_b,
                         unsigned second_a = 0, unsigned second_b = 0) {
    // Lane 0 has elements 0 and 1 of row 0 of A and of column 0 of B, and lane 1 the
    // next two.
    unsigned a = threadIdx.x == 0 ? first_a : threadIdx.x == 1 ? second_a : 0;
    unsigned b = threadIdx.x == 0 ? first_b : threadIdx.x == 1 ? second_b : 0;
    float sums[4] = {c};
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %5, %5}, {%6, %5}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a), "r"(0), "r"(b));
    return sums[0];
}

extern "C" __global__ void kept_or_lost(float* sums) {
    const float P24 = 16777216.0f, P25 = 2 * P24, P26 = 4 * P24;
    // Two elements in a register: 1 and -2^12 in A, 1 and 2^13 in B.
    float at_25 = at_once(P25, 0xec003c00, 0x70003c00);
    // 1 and 1 in lane 0, and -2^13 times 2^13 in lane 1.
    float at_26 = at_once(P26, 0x3c003c00, 0x3c003c00, 0xf000, 0x7000);
    // 3 times 1.
    float three = at_once(P24, 0x4200, 0x3c00);
    if (threadIdx.x != 0) return;
    volatile float thread = P25;
    thread = thread + 1;
    thread = thread - P25;
    sums[0] = at_25, sums[1] = thread, sums[2] = at_26;
    thread = P26;
    thread = thread - P26;
    thread = thread + 1;
    thread = thread + 1;
    sums[3] = thread, sums[4] = three - P24;
    thread = P24;
    thread = thread + 3;
    sums[5] = thread - P24;
}
