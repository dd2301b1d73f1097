// The matrix product of products_async.cu by tensor cores: a warp multiplies 16 rows by 8 columns with one instruction. A and B
// are bfloat16, C is float.
//
//   product_mma             `ldmatrix` brings the fragments out of swizzled tiles, which `cp.async` brings into a ring of stages.
//   product_mma_rows        The same without the swizzle: rows one below another, and the eight rows of a matrix in few banks.
//
// Launch: blocks of THREADS threads, (n / COLUMNS, n / ROWS) of them, with STAGES * sizeof(Stage) bytes of shared memory.
// Preconditions: a and b are n times n numbers of two bytes, row after row, at addresses of a multiple of 16, and c as many
// floats; n is a multiple of ROWS and of COLUMNS, and at least STAGES * DEPTH, because the last round loads from the next stage too.
//
// builds: sm_80

#include <cuda_bf16.h>

typedef __nv_bfloat16 Half;

// ANCHOR: shape
constexpr int ROWS = 128, COLUMNS = 128;  // of C, for a block
constexpr int DEPTH = 64;                 // columns of A and rows of B at a time
constexpr int STAGES = 3;
constexpr int DOWN = 64, ACROSS = 64;      // rows and columns of C for a warp
constexpr int BLOCKS = 2;                  // blocks of a multiprocessor
constexpr int WARPS_ACROSS = COLUMNS / ACROSS;
constexpr int THREADS = ROWS / DOWN * WARPS_ACROSS * 32;
constexpr int PIECE = 8;  // numbers in 16 bytes, which one copy moves and one lane of `ldmatrix` names

struct Stage {
    Half a[ROWS * DEPTH], b[DEPTH * COLUMNS];
};
// ANCHOR_END: shape

// ANCHOR: swizzle
// Where a piece is in a tile whose rows have WIDTH numbers. 128 bytes are all banks once, so eight rows of a matrix have to be in
// eight different pieces of 128 bytes.
template <int WIDTH, bool SWIZZLED>
__device__ int place(int row, int piece) {
    constexpr int ROWS_OF_BANKS = WIDTH * 2 < 128 ? 128 / (WIDTH * 2) : 1;
    constexpr int PIECES = WIDTH / PIECE < 8 ? WIDTH / PIECE : 8;
    if (SWIZZLED) piece ^= row / ROWS_OF_BANKS % PIECES;
    return row * WIDTH + piece * PIECE;
}
// ANCHOR_END: swizzle

__device__ unsigned shared_address(const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

__device__ void copy_16_bytes(Half* to, const Half* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_address(to)), "l"(from) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int LEFT>
__device__ void wait_for_copies() { asm volatile("cp.async.wait_group %0;" :: "n"(LEFT) : "memory"); }

template <bool SWIZZLED>
__device__ void fetch(Stage& stage, const Half* a, const Half* b, int n) {
    int row = threadIdx.x / (DEPTH / PIECE), piece = threadIdx.x % (DEPTH / PIECE);
#pragma unroll
    for (int i = row; i < ROWS; i += THREADS / (DEPTH / PIECE)) {
        copy_16_bytes(&stage.a[place<DEPTH, SWIZZLED>(i, piece)], a + i * n + piece * PIECE);
    }
    row = threadIdx.x / (COLUMNS / PIECE), piece = threadIdx.x % (COLUMNS / PIECE);
#pragma unroll
    for (int i = row; i < DEPTH; i += THREADS / (COLUMNS / PIECE)) {
        copy_16_bytes(&stage.b[place<COLUMNS, SWIZZLED>(i, piece)], b + i * n + piece * PIECE);
    }
}

// ANCHOR: fragments
// Four matrices of 8 times 8; a lane says where one of their 32 rows is.
__device__ void load_matrices(unsigned* to, const Half* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(shared_address(row)) : "memory");
}

__device__ void load_transposed(unsigned* to, const Half* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(shared_address(row)) : "memory");
}

// 16 rows and 16 columns of A times 16 rows and 8 columns of B.
__device__ void mma(float* c, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// ANCHOR_END: fragments

// ANCHOR: multiply
struct Part {
    float sums[DOWN / 16][ACROSS / 8][4];
    int row, column, lane;

    __device__ Part() : sums(), row(), column(), lane(threadIdx.x % 32) {
        int warp = threadIdx.x / 32;
        row = warp / WARPS_ACROSS * DOWN;
        column = warp % WARPS_ACROSS * ACROSS;
    }
};

// 16 columns of A and 16 rows of B, as far as a warp needs them.
struct Fragments { unsigned a[DOWN / 16][4], b[ACROSS / 16][4]; };

template <bool SWIZZLED>
__device__ void load(Fragments& to, const Part& part, const Stage& stage, int k) {
    int row = part.lane % 16, piece = part.lane / 16;
#pragma unroll
    for (int i = 0; i < DOWN / 16; i++) {
        load_matrices(to.a[i], &stage.a[place<DEPTH, SWIZZLED>(part.row + i * 16 + row, k / PIECE + piece)]);
    }
#pragma unroll
    for (int j = 0; j < ACROSS / 16; j++) {
        int column = (part.column + j * 16) / PIECE + piece;
        load_transposed(to.b[j], &stage.b[place<COLUMNS, SWIZZLED>(k + row, column)]);
    }
}

__device__ void multiply(Part& part, const Fragments& of) {
#pragma unroll
    for (int i = 0; i < DOWN / 16; i++) {
#pragma unroll
        for (int j = 0; j < ACROSS / 8; j++) mma(part.sums[i][j], of.a[i], &of.b[j / 2][j % 2 * 2]);
    }
}

__device__ void store(const Part& part, float* c, int n) {
    int row = part.row + part.lane / 4, column = part.column + part.lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < DOWN / 16; i++) {
#pragma unroll
        for (int j = 0; j < ACROSS / 8; j++) {
            const float* sums = part.sums[i][j];
            float* to = c + (row + i * 16) * n + column + j * 8;
            *reinterpret_cast<float2*>(to) = make_float2(sums[0], sums[1]);
            *reinterpret_cast<float2*>(to + 8 * n) = make_float2(sums[2], sums[3]);
        }
    }
}
// ANCHOR_END: multiply

// ANCHOR: product_mma
extern __shared__ __align__(128) Stage stages[];

template <bool SWIZZLED>
__device__ void product(const Half* a, const Half* b, float* c, int n) {
    a += blockIdx.y * ROWS * n;
    b += blockIdx.x * COLUMNS;
    Part part;
    for (int next = 0; next < STAGES - 1; next++) {
        fetch<SWIZZLED>(stages[next], a + next * DEPTH, b + next * DEPTH * n, n);
        commit();
    }
    int rounds = n / DEPTH;
    Fragments fragments[2];
    wait_for_copies<STAGES - 2>();
    __syncthreads();
    load<SWIZZLED>(fragments[0], part, stages[0], 0);
    for (int round = 0; round < rounds; round++) {
        int next = round + STAGES - 1;
        if (next < rounds) fetch<SWIZZLED>(stages[next % STAGES], a + next * DEPTH, b + next * DEPTH * n, n);
        commit();
#pragma unroll
        for (int k = 0; k < DEPTH; k += 16) {
            bool is_last = k + 16 == DEPTH;
            if (is_last) {
                wait_for_copies<STAGES - 2>();
                __syncthreads();
            }
            load<SWIZZLED>(fragments[(k / 16 + 1) % 2], part, stages[(round + is_last) % STAGES], (k + 16) % DEPTH);
            multiply(part, fragments[k / 16 % 2]);
        }
    }
    store(part, c + blockIdx.y * ROWS * n + blockIdx.x * COLUMNS, n);
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    product_mma(const Half* a, const Half* b, float* c, int n) {
    product<true>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    product_mma_rows(const Half* a, const Half* b, float* c, int n) {
    product<false>(a, b, c, n);
}
// ANCHOR_END: product_mma
