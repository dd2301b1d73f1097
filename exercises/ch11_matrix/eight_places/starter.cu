// Products of 16 times 32 and 32 times 8 elements, one for each block of a warp.
//
// a: whole numbers, row after row; b: the same for all blocks, column after column;
// c becomes the products, row after row. Built for sm_80.

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

// Where a piece of 8 elements of a row is in the tile.
__device__ int place(int row, int piece) {
    return row * 32 + piece * 8;
}

extern "C" __global__ void eight_places(const int* a, const int* b, float* c) {
    __shared__ __align__(128) unsigned short tile[16 * 32];
    a += blockIdx.x * 512, c += blockIdx.x * 128;
    int lane = threadIdx.x, four = lane / 4, two = lane % 4 * 2;
    for (int j = 0; j < 16; j++) {
        int i = j * 32 + lane;
        tile[place(i / 32, i % 32 / 8) + i % 8] = half_of(a[i]);
    }
    __syncwarp();
    float sums[4] = {};
    for (int k = 0; k < 32; k += 16) {
        unsigned of_a[4], of_b[2];
        load_four(of_a, tile + place(lane % 16, k / 8 + lane / 16));
        for (int i = 0; i < 2; i++) {
            const int* from = b + four * 32 + k + two + i * 8;
            of_b[i] = pair(from[0], from[1]);
        }
        mma(sums, of_a, of_b);
    }
    for (int i = 0; i < 4; i++) c[(four + i / 2 * 8) * 8 + two + i % 2] = sums[i];
}
