// Products of 16 times n and n times 8 elements, one for each block of a warp. n is
// a multiple of 16.
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

__device__ unsigned shared_address(const void* at) {
    return (unsigned)__cvta_generic_to_shared(at);
}

__device__ void copy_16_bytes(int* to, const int* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
        :: "r"(shared_address(to)), "l"(from) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most LEFT groups of copies of this thread are on their way.
template <int LEFT>
__device__ void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" :: "n"(LEFT) : "memory");
}

struct Stage {
    int a[16 * 16], b[8 * 16];
};

__device__ void fetch(Stage& to, const int* a, const int* b, int n) {
    for (int j = 0; j < 2; j++) {
        int i = j * 32 + threadIdx.x;
        copy_16_bytes(to.a + i * 4, a + i / 4 * n + i % 4 * 4);
    }
    copy_16_bytes(to.b + threadIdx.x * 4, b + threadIdx.x / 4 * n + threadIdx.x % 4 * 4);
}

__device__ void multiply(float* sums, const Stage& from) {
    int four = threadIdx.x / 4, two = threadIdx.x % 4 * 2;
    unsigned of_a[4], of_b[2];
    for (int i = 0; i < 4; i++) {
        const int* row = from.a + (four + i % 2 * 8) * 16 + two + i / 2 * 8;
        of_a[i] = pair(row[0], row[1]);
    }
    for (int i = 0; i < 2; i++) {
        const int* column = from.b + four * 16 + two + i * 8;
        of_b[i] = pair(column[0], column[1]);
    }
    mma(sums, of_a, of_b);
}

extern "C" __global__ void last_round(const int* a, const int* b, float* c, int n) {
    __shared__ __align__(16) Stage stages[2];
    a += blockIdx.x * 16 * n, c += blockIdx.x * 128;
    float sums[4] = {};
    fetch(stages[0], a, b, n);
    commit();
    for (int k = 0; k < n; k += 16) {
        Stage &now = stages[k / 16 % 2], &next = stages[(k / 16 + 1) % 2];
        if (k + 16 < n) {
            fetch(next, a + k + 16, b + k + 16, n);
            commit();
        }
        wait_for_copies<1>();
        __syncwarp();
        multiply(sums, now);
        __syncwarp();
    }
    int row = threadIdx.x / 4, column = threadIdx.x % 4 * 2;
    for (int i = 0; i < 4; i++) c[(row + i / 2 * 8) * 8 + column + i % 2] = sums[i];
}
