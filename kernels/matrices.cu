// A warp as a matrix unit: products of small matrices by `mma.sync`, whose operands are spread over the registers of 32 lanes.
// A and B are bfloat16, C is float.
//
//   xray                     One element of A and one of B are one. The lane that gets their product says which of its registers it is.
//   multiply_by_hand         A, 16 times 16, and B, 16 times 8, loaded to their lanes by hand.
//   multiply_b_by_rows       wrong: takes B as if its columns were stored one after another.
//   multiply_first_rows      Only some rows of A exist; the other elements are zero.
//   multiply_in_a_branch     wrong: lanes without a row leave out the multiplication.
//   from_tile                Two warps share tiles in shared memory, from which `ldmatrix` loads the operands.
//   from_tile_no_barrier     wrong: `ldmatrix` reads rows that another warp has yet to store.
//   from_tile_padded_by_one  wrong: rows of 17 elements, so that most of them begin at no multiple of 16 bytes.
//   from_tile_not_turned     wrong: `ldmatrix` without `.trans` for B.
//   strip_rows               16 rows times 64 columns, with rows of 128 bytes one below another in shared memory.
//   strip_padded             The same with 16 bytes after each row.
//   strip_swizzled           The same with the pieces of each row exchanged.
//   strip_ahead              As strip_swizzled, but `cp.async` brings the next tiles while the warps multiply.
//   strip_no_wait            wrong: nobody waits for the copies.
//
// Launch: the kernels before from_tile in blocks of one warp, a block for each element or product; from_tile in blocks of 64 threads, a
// block for each product; the strips in blocks of 256 threads, a block for each strip.
// Preconditions: as many matrices, one after another and row after row, as there are blocks, at addresses of a multiple of 16. In
// strips, A has n columns and B, the same for all blocks, n rows, and n is a multiple of 64.
//
// builds: sm_80

#include <cuda_bf16.h>

typedef __nv_bfloat16 Half;

// ANCHOR: mma
// C, 16 times 8, becomes A, 16 times 16, times B, 16 times 8, plus C.
__device__ void mma(float* c, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// ANCHOR_END: mma

// ANCHOR: xray
// A(row, 0) and B(0, column) are one, all other elements are zero.
extern "C" __global__ void xray(int* found, int row, int column) {
    const unsigned ONE = 0x3f80;  // as a bfloat16, in the lower half of a register
    int lane = threadIdx.x;
    // Further blocks are about further elements.
    row += blockIdx.y, column += blockIdx.x, found += (blockIdx.y * gridDim.x + blockIdx.x) * 32;
    unsigned a[4] = {}, b[2] = {};
    a[0] = lane == row * 4 ? ONE : 0;
    a[1] = lane == (row - 8) * 4 ? ONE : 0;
    b[0] = lane == column * 4 ? ONE : 0;
    float c[4] = {};
    mma(c, a, b);
    int which = c[0] != 0 ? 1 : c[1] != 0 ? 2 : c[2] != 0 ? 3 : c[3] != 0 ? 4 : 0;
    if (which != 0) {
        found[lane] = which;
    }
}
// ANCHOR_END: xray

// ANCHOR: multiply_by_hand
// Two neighbours along k, the direction of the sum, are one register.
__device__ unsigned pair(Half first, Half second) {
    return __bfloat16_as_ushort(first) | __bfloat16_as_ushort(second) << 16;
}

__device__ void load_a(unsigned* to, const Half* a, int row, int k) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const Half* from = a + (row + i % 2 * 8) * 16 + k + i / 2 * 8;
        to[i] = pair(from[0], from[1]);
    }
}

__device__ void load_b(unsigned* to, const Half* b, int k, int column) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const Half* from = b + (k + i * 8) * 8 + column;
        to[i] = pair(from[0], from[8]);
    }
}

__device__ void store_c(float* c, const float* from, int row, int column) {
#pragma unroll
    for (int i = 0; i < 4; i++) c[(row + i / 2 * 8) * 8 + column + i % 2] = from[i];
}

extern "C" __global__ void multiply_by_hand(const Half* a, const Half* b, float* c) {
    a += blockIdx.x * 16 * 16, b += blockIdx.x * 16 * 8, c += blockIdx.x * 16 * 8;
    int four = threadIdx.x / 4, two = threadIdx.x % 4 * 2;
    unsigned of_a[4], of_b[2];
    load_a(of_a, a, four, two);
    load_b(of_b, b, two, four);
    float sums[4] = {};
    mma(sums, of_a, of_b);
    store_c(c, sums, four, two);
}
// ANCHOR_END: multiply_by_hand

// ANCHOR: multiply_b_by_rows
extern "C" __global__ void multiply_b_by_rows(const Half* a, const Half* b, float* c) {
    a += blockIdx.x * 16 * 16, b += blockIdx.x * 16 * 8, c += blockIdx.x * 16 * 8;
    int four = threadIdx.x / 4, two = threadIdx.x % 4 * 2;
    unsigned of_a[4], of_b[2];
    load_a(of_a, a, four, two);
#pragma unroll
    for (int i = 0; i < 2; i++) of_b[i] = *reinterpret_cast<const unsigned*>(b + four * 16 + two + i * 8);
    float sums[4] = {};
    mma(sums, of_a, of_b);
    store_c(c, sums, four, two);
}
// ANCHOR_END: multiply_b_by_rows

// ANCHOR: multiply_first_rows
extern "C" __global__ void multiply_first_rows(const Half* a, const Half* b, float* c, int rows) {
    a += blockIdx.x * rows * 16, b += blockIdx.x * 16 * 8, c += blockIdx.x * rows * 8;
    int four = threadIdx.x / 4, two = threadIdx.x % 4 * 2;
    unsigned of_a[4] = {}, of_b[2];
    if (four < rows) {
        of_a[0] = pair(a[four * 16 + two], a[four * 16 + two + 1]);
        of_a[2] = pair(a[four * 16 + two + 8], a[four * 16 + two + 9]);
    }
    load_b(of_b, b, two, four);
    float sums[4] = {};
    mma(sums, of_a, of_b);
    if (four < rows) {
        c[four * 8 + two] = sums[0];
        c[four * 8 + two + 1] = sums[1];
    }
}
// ANCHOR_END: multiply_first_rows

// ANCHOR: multiply_in_a_branch
extern "C" __global__ void multiply_in_a_branch(const Half* a, const Half* b, float* c, int rows) {
    a += blockIdx.x * rows * 16, b += blockIdx.x * 16 * 8, c += blockIdx.x * rows * 8;
    int four = threadIdx.x / 4, two = threadIdx.x % 4 * 2;
    if (four >= rows) return;
    unsigned of_a[4] = {}, of_b[2];
    of_a[0] = pair(a[four * 16 + two], a[four * 16 + two + 1]);
    of_a[2] = pair(a[four * 16 + two + 8], a[four * 16 + two + 9]);
    load_b(of_b, b, two, four);
    float sums[4] = {};
    mma(sums, of_a, of_b);
    c[four * 8 + two] = sums[0];
    c[four * 8 + two + 1] = sums[1];
}
// ANCHOR_END: multiply_in_a_branch

__device__ unsigned shared_address(const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// ANCHOR: ldmatrix
// Four matrices of 8 times 8. Lane i says where row i of their 32 rows is.
__device__ void load_four(unsigned* to, const Half* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(shared_address(row)) : "memory");
}

// Two matrices, transposed. The rows are those of lanes 0 to 15.
__device__ void load_two_turned(unsigned* to, const Half* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
        : "=r"(to[0]), "=r"(to[1]) : "r"(shared_address(row)) : "memory");
}
// ANCHOR_END: ldmatrix

// The same without .trans.
__device__ void load_two(unsigned* to, const Half* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
        : "=r"(to[0]), "=r"(to[1]) : "r"(shared_address(row)) : "memory");
}

// ANCHOR: from_tile
template <int WIDTH, bool WAITS, bool TURNS>
__device__ void tile_product(const Half* a, const Half* b, float* c) {
    __shared__ __align__(16) Half tile_a[16 * WIDTH], tile_b[16 * WIDTH];
    a += blockIdx.x * 16 * 16, b += blockIdx.x * 16 * 16, c += blockIdx.x * 16 * 16;
    for (int i = threadIdx.x; i < 16 * 16; i += blockDim.x) {
        tile_a[i / 16 * WIDTH + i % 16] = a[i];
        tile_b[i / 16 * WIDTH + i % 16] = b[i];
    }
    if (WAITS) __syncthreads();
    int lane = threadIdx.x % 32, column = threadIdx.x / 32 * 8;
    unsigned of_a[4], of_b[2];
    load_four(of_a, tile_a + lane % 16 * WIDTH + lane / 16 * 8);
    const Half* row_of_b = tile_b + lane % 16 * WIDTH + column;
    if (TURNS) load_two_turned(of_b, row_of_b);
    else load_two(of_b, row_of_b);
    float sums[4] = {};
    mma(sums, of_a, of_b);
    int row = lane / 4;
    column += lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 4; i++) c[(row + i / 2 * 8) * 16 + column + i % 2] = sums[i];
}

extern "C" __global__ void from_tile(const Half* a, const Half* b, float* c) {
    tile_product<16, true, true>(a, b, c);
}
// ANCHOR_END: from_tile

extern "C" __global__ void from_tile_no_barrier(const Half* a, const Half* b, float* c) {
    tile_product<16, false, true>(a, b, c);
}

extern "C" __global__ void from_tile_padded_by_one(const Half* a, const Half* b, float* c) {
    tile_product<17, true, true>(a, b, c);
}

extern "C" __global__ void from_tile_not_turned(const Half* a, const Half* b, float* c) {
    tile_product<16, true, false>(a, b, c);
}

// ANCHOR: layouts
// A row of a tile has 64 elements, which are 8 pieces of 16 bytes.
constexpr int PIECE = 8, PIECES = 8;

struct Rows {
    static constexpr int WIDTH = 64;
    static __device__ int at(int row, int piece) { return row * WIDTH + piece * PIECE; }
};

struct Padded {
    static constexpr int WIDTH = 72;
    static __device__ int at(int row, int piece) { return row * WIDTH + piece * PIECE; }
};

struct Swizzled {
    static constexpr int WIDTH = 64;
    static __device__ int at(int row, int piece) { return row * WIDTH + (piece ^ row % PIECES) * PIECE; }
};
// ANCHOR_END: layouts

template <typename Layout>
struct Tiles {
    Half a[16 * Layout::WIDTH], b[64 * Layout::WIDTH];
};

// ANCHOR: strip
// Warp w multiplies 16 rows of A by columns 8 w to 8 w + 7 of B, over the 64 columns of A that are in the tile.
template <typename Layout>
__device__ void multiply_tiles(float* sums, const Tiles<Layout>& tiles) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int k = 0; k < 64; k += 16) {
        unsigned of_a[4], of_b[2];
        load_four(of_a, &tiles.a[Layout::at(lane % 16, k / PIECE + lane / 16)]);
        load_two_turned(of_b, &tiles.b[Layout::at(k + lane % 16, warp)]);
        mma(sums, of_a, of_b);
    }
}
// ANCHOR_END: strip

__device__ void store_strip(float* c, const float* sums) {
    int lane = threadIdx.x % 32, row = lane / 4, column = threadIdx.x / 32 * 8 + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 4; i++) c[(row + i / 2 * 8) * 64 + column + i % 2] = sums[i];
}

template <typename Layout>
__device__ void strip(const Half* a, const Half* b, float* c, int n) {
    __shared__ __align__(128) Tiles<Layout> tiles;
    a += blockIdx.x * 16 * n, c += blockIdx.x * 16 * 64;
    int row = threadIdx.x / PIECES, piece = threadIdx.x % PIECES;
    float sums[4] = {};
    for (int k = 0; k < n; k += 64) {
        // 16 bytes of a thread at a time; A has a quarter of the rows.
        for (int i = row; i < 64; i += 32) {
            *reinterpret_cast<uint4*>(&tiles.b[Layout::at(i, piece)]) =
                *reinterpret_cast<const uint4*>(b + (k + i) * 64 + piece * PIECE);
        }
        if (row < 16) {
            *reinterpret_cast<uint4*>(&tiles.a[Layout::at(row, piece)]) =
                *reinterpret_cast<const uint4*>(a + row * n + k + piece * PIECE);
        }
        __syncthreads();
        multiply_tiles<Layout>(sums, tiles);
        __syncthreads();
    }
    store_strip(c, sums);
}

extern "C" __global__ void strip_rows(const Half* a, const Half* b, float* c, int n) { strip<Rows>(a, b, c, n); }

extern "C" __global__ void strip_padded(const Half* a, const Half* b, float* c, int n) { strip<Padded>(a, b, c, n); }

extern "C" __global__ void strip_swizzled(const Half* a, const Half* b, float* c, int n) { strip<Swizzled>(a, b, c, n); }

// ANCHOR: ahead
__device__ void copy_16_bytes(Half* to, const Half* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_address(to)), "l"(from) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most one group of copies of this thread is on its way.
__device__ void wait_for_all_but_one() { asm volatile("cp.async.wait_group 1;" ::: "memory"); }

__device__ void fetch(Tiles<Swizzled>& to, const Half* a, const Half* b, int n) {
    int row = threadIdx.x / PIECES, piece = threadIdx.x % PIECES;
    for (int i = row; i < 64; i += 32) copy_16_bytes(&to.b[Swizzled::at(i, piece)], b + i * 64 + piece * PIECE);
    if (row < 16) copy_16_bytes(&to.a[Swizzled::at(row, piece)], a + row * n + piece * PIECE);
}

template <bool WAITS>
__device__ void strip_of_copies(const Half* a, const Half* b, float* c, int n) {
    __shared__ __align__(128) Tiles<Swizzled> stages[2];
    a += blockIdx.x * 16 * n, c += blockIdx.x * 16 * 64;
    float sums[4] = {};
    fetch(stages[0], a, b, n);
    commit();
    for (int k = 0; k < n; k += 64) {
        if (k + 64 < n) fetch(stages[(k / 64 + 1) % 2], a + k + 64, b + (k + 64) * 64, n);
        commit();
        if (WAITS) wait_for_all_but_one();
        __syncthreads();
        multiply_tiles<Swizzled>(sums, stages[k / 64 % 2]);
        __syncthreads();
    }
    store_strip(c, sums);
}

extern "C" __global__ void strip_ahead(const Half* a, const Half* b, float* c, int n) {
    strip_of_copies<true>(a, b, c, n);
}
// ANCHOR_END: ahead

extern "C" __global__ void strip_no_wait(const Half* a, const Half* b, float* c, int n) {
    strip_of_copies<false>(a, b, c, n);
}
