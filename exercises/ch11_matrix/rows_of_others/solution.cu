// Two products of 16 times 16 and 16 times 16 elements for each block of two
// warps, one after the other in the same tiles.
//
// a, b: whole numbers, row after row, matrix after matrix; c becomes the products.
// Built for sm_80.

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

// Two matrices, transposed on the way; the rows are those of lanes 0 to 15.
__device__ void load_two_turned(unsigned* to, const unsigned short* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 "
        "{%0, %1}, [%2];"
        : "=r"(to[0]), "=r"(to[1]) : "r"(shared_address(row)) : "memory");
}

extern "C" __global__ void rows_of_others(const int* a, const int* b, float* c) {
    __shared__ __align__(16) unsigned short tile_a[256], tile_b[256];
    a += blockIdx.x * 512, b += blockIdx.x * 512, c += blockIdx.x * 512;
    int lane = threadIdx.x % 32, column = threadIdx.x / 32 * 8;
    for (int product = 0; product < 2; product++) {
        for (int j = 0; j < 4; j++) {
            int i = j * 64 + threadIdx.x;
            tile_a[i] = half_of(a[product * 256 + i]);
            tile_b[i] = half_of(b[product * 256 + i]);
        }
        unsigned of_a[4], of_b[2];
//= solution
        __syncthreads();
        load_four(of_a, tile_a + lane % 16 * 16 + lane / 16 * 8);
        load_two_turned(of_b, tile_b + lane % 16 * 16 + column);
        __syncthreads();
//= starter
//        load_four(of_a, tile_a + lane % 16 * 16 + lane / 16 * 8);
//        load_two_turned(of_b, tile_b + lane % 16 * 16 + column);
//= wrong before_only
//        __syncthreads();
//        load_four(of_a, tile_a + lane % 16 * 16 + lane / 16 * 8);
//        load_two_turned(of_b, tile_b + lane % 16 * 16 + column);
//= wrong after_only
//        load_four(of_a, tile_a + lane % 16 * 16 + lane / 16 * 8);
//        load_two_turned(of_b, tile_b + lane % 16 * 16 + column);
//        __syncthreads();
//= wrong own_warp
//        __syncwarp();
//        load_four(of_a, tile_a + lane % 16 * 16 + lane / 16 * 8);
//        load_two_turned(of_b, tile_b + lane % 16 * 16 + column);
//        __syncwarp();
//= end
        float sums[4] = {};
        mma(sums, of_a, of_b);
        for (int i = 0; i < 4; i++) {
            int row = lane / 4 + i / 2 * 8;
            c[product * 256 + row * 16 + column + lane % 4 * 2 + i % 2] = sums[i];
        }
    }
}
