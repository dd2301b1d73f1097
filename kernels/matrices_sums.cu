// How a matrix unit adds: the sum of products that one element of C is, in several formats, and as a thread would compute it.
//
//   sum_f16            16 products of f16 and an f32, by one `mma`.
//   sum_one_by_one     16 products of f16 and an f32: multiplied and added one after another in f32, as a thread does it.
//   sum_tf32           8 products of tf32, which are given as f32, and an f32; by one `mma`.
//   long_f16           16 products in each round, by one `mma` that adds them to the sum of the rounds before.
//   long_f16_in_f16    The same with sums in f16.
//   long_one_by_one    The same as a thread does it.
//
// Launch: blocks of one warp, a block for each sum.
// Preconditions: a and b have as many numbers for each block (and round) as there are products, and c and d have one. Numbers of f16
// are given as their bits.
//
// builds: sm_80

#include <cuda_fp16.h>

typedef unsigned short Bits;

// ANCHOR: row_and_column
// Row 0 of A and column 0 of B are in the first four lanes; all other elements are zero. Registers 0 and 2 of A are those of the
// upper rows.
struct Operands {
    unsigned a[4], b[2];

    __device__ Operands(const Bits* row, const Bits* column) : a(), b() {
        int k = threadIdx.x * 2;
        if (threadIdx.x >= 4) return;
        a[0] = row[k] | row[k + 1] << 16;
        a[2] = row[k + 8] | row[k + 9] << 16;
        b[0] = column[k] | column[k + 1] << 16;
        b[1] = column[k + 8] | column[k + 9] << 16;
    }
};
// ANCHOR_END: row_and_column

// ANCHOR: add_f16
__device__ void add_f16(float* c, const Operands& of) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(of.a[0]), "r"(of.a[1]), "r"(of.a[2]), "r"(of.a[3]), "r"(of.b[0]), "r"(of.b[1]));
}
// ANCHOR_END: add_f16

// Two sums in each register.
__device__ void add_f16_in_f16(unsigned* c, const Operands& of) {
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
        "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
        : "+r"(c[0]), "+r"(c[1])
        : "r"(of.a[0]), "r"(of.a[1]), "r"(of.a[2]), "r"(of.a[3]), "r"(of.b[0]), "r"(of.b[1]));
}

// ANCHOR: sum_f16
extern "C" __global__ void sum_f16(const Bits* a, const Bits* b, const float* c, float* d) {
    Operands of(a + blockIdx.x * 16, b + blockIdx.x * 16);
    float sums[4] = {c[blockIdx.x]};
    add_f16(sums, of);
    if (threadIdx.x == 0) d[blockIdx.x] = sums[0];
}
// ANCHOR_END: sum_f16

// ANCHOR: sum_tf32
extern "C" __global__ void sum_tf32(const float* a, const float* b, const float* c, float* d) {
    unsigned of_a[4] = {}, of_b[2] = {};
    if (threadIdx.x < 4) {
        const float *row = a + blockIdx.x * 8 + threadIdx.x, *column = b + blockIdx.x * 8 + threadIdx.x;
        of_a[0] = __float_as_uint(row[0]), of_a[2] = __float_as_uint(row[4]);
        of_b[0] = __float_as_uint(column[0]), of_b[1] = __float_as_uint(column[4]);
    }
    float sums[4] = {c[blockIdx.x]};
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(of_a[0]), "r"(of_a[1]), "r"(of_a[2]), "r"(of_a[3]), "r"(of_b[0]), "r"(of_b[1]));
    if (threadIdx.x == 0) d[blockIdx.x] = sums[0];
}
// ANCHOR_END: sum_tf32

// ANCHOR: one_by_one
__device__ float one_by_one(const Bits* a, const Bits* b, float sum) {
    for (int k = 0; k < 16; k++) {
        sum = fmaf(__half2float(__ushort_as_half(a[k])), __half2float(__ushort_as_half(b[k])), sum);
    }
    return sum;
}

extern "C" __global__ void sum_one_by_one(const Bits* a, const Bits* b, const float* c, float* d) {
    float sum = one_by_one(a + blockIdx.x * 16, b + blockIdx.x * 16, c[blockIdx.x]);
    if (threadIdx.x == 0) d[blockIdx.x] = sum;
}
// ANCHOR_END: one_by_one

// ANCHOR: long_f16
extern "C" __global__ void long_f16(const Bits* a, const Bits* b, float* d, int rounds) {
    a += blockIdx.x * rounds * 16, b += blockIdx.x * rounds * 16;
    float sums[4] = {};
    for (int round = 0; round < rounds; round++) add_f16(sums, Operands(a + round * 16, b + round * 16));
    if (threadIdx.x == 0) d[blockIdx.x] = sums[0];
}
// ANCHOR_END: long_f16

extern "C" __global__ void long_f16_in_f16(const Bits* a, const Bits* b, float* d, int rounds) {
    a += blockIdx.x * rounds * 16, b += blockIdx.x * rounds * 16;
    unsigned sums[2] = {};
    for (int round = 0; round < rounds; round++) add_f16_in_f16(sums, Operands(a + round * 16, b + round * 16));
    if (threadIdx.x == 0) d[blockIdx.x] = __half2float(__ushort_as_half(sums[0] & 0xffff));
}

extern "C" __global__ void long_one_by_one(const Bits* a, const Bits* b, float* d, int rounds) {
    a += blockIdx.x * rounds * 16, b += blockIdx.x * rounds * 16;
    float sum = 0;
    for (int round = 0; round < rounds; round++) sum = one_by_one(a + round * 16, b + round * 16, sum);
    if (threadIdx.x == 0) d[blockIdx.x] = sum;
}
