// Products of 16 times 16 and 16 times 16 elements, one for each block of two warps.
//
// a: whole numbers, row after row; b: column after column; c becomes the product,
// row after row. Built for sm_80.

// C, 16 times 8, becomes A, 16 times 16, times B, 16 times 8, plus C.
__device__ void mma(float* c, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// A whole number as a bfloat16.
__device__ unsigned short half_of(int number) {
    return __float_as_uint((float)number) >> 16;
}

__device__ unsigned shared_address(const void* at) {
    return (unsigned)__cvta_generic_to_shared(at);
}

// Four matrices of 8 times 8: lane i says where row i of their 32 rows is.
__device__ void load_four(unsigned* to, const unsigned short* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
        "{%0, %1, %2, %3}, [%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
        : "r"(shared_address(row)) : "memory");
}

// Two matrices; the rows are those of lanes 0 to 15.
__device__ void load_two(unsigned* to, const unsigned short* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
        : "=r"(to[0]), "=r"(to[1]) : "r"(shared_address(row)) : "memory");
}

// The same, and each matrix is transposed on the way.
__device__ void load_two_turned(unsigned* to, const unsigned short* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 "
        "{%0, %1}, [%2];"
        : "=r"(to[0]), "=r"(to[1]) : "r"(shared_address(row)) : "memory");
}

extern "C" __global__ void turned_already(const int* a, const int* b, float* c) {
    // tile_b has a column of B in each row.
    __shared__ __align__(16) unsigned short tile_a[256], tile_b[256];
    a += blockIdx.x * 256, b += blockIdx.x * 256, c += blockIdx.x * 256;
    int lane = threadIdx.x % 32, column = threadIdx.x / 32 * 8;
    for (int j = 0; j < 4; j++) {
        int i = j * 64 + threadIdx.x;
        tile_a[i] = half_of(a[i]);
        tile_b[i] = half_of(b[i]);
    }
    __syncthreads();
    unsigned of_a[4], of_b[2];
    load_four(of_a, tile_a + lane % 16 * 16 + lane / 16 * 8);
//= solution
    load_two(of_b, tile_b + (column + lane % 8) * 16 + lane / 8 % 2 * 8);
//= starter
//    load_two_turned(of_b, tile_b + lane % 16 * 16 + column);
//= wrong only_the_name
//    load_two(of_b, tile_b + lane % 16 * 16 + column);
//= wrong only_the_addresses
//    load_two_turned(of_b, tile_b + (column + lane % 8) * 16 + lane / 8 % 2 * 8);
//= wrong halves_exchanged
//    load_two(of_b, tile_b + (column + lane % 8) * 16 + (1 - lane / 8 % 2) * 8);
//= end
    float sums[4] = {};
    mma(sums, of_a, of_b);
    for (int i = 0; i < 4; i++) {
        int row = lane / 4 + i / 2 * 8;
        c[row * 16 + column + lane % 4 * 2 + i % 2] = sums[i];
    }
}
