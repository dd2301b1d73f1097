// The matrix product of kernels/products_mma.cu by whole warpgroups: `wgmma` multiplies 64 rows by 256 columns out of shared
// memory, where the unit for tensors puts the tiles. A and B are bfloat16, C is float.
//
//   product_wgmma          A producer warp orders boxes of A and B, two warpgroups multiply, and each block has one tile of C.
//   product_wgmma_cluster  The same in clusters of two blocks with the same columns of B: each copies half of them, for both. As
//                          many blocks as there are multiprocessors take one tile after another, so that the next tile is on
//                          its way while the last one is stored.
//
// Launch: blocks of THREADS threads with 1024 bytes of shared memory more than a Ring has, because swizzles begin at
// a multiple of that; of product_wgmma (n / COLUMNS, n / ROWS), of
// product_wgmma_cluster any even number.
// Preconditions: a and b are tensor maps of n times n numbers of two bytes, row after row, in boxes of DEPTH times ROWS for A and
// DEPTH times DEPTH for B, with swizzles of 128 bytes; c is n times n floats; n is a multiple of COLUMNS and of twice ROWS.
//
// builds: sm_90a

// ANCHOR: shape
constexpr int ROWS = 128, COLUMNS = 256;  // of C, for a block
constexpr int DEPTH = 64;                 // columns of A and rows of B at a time: 128 bytes, as wide as a swizzle
constexpr int STAGES = 4;
constexpr int GROUP = 8;                   // tiles below one another that are made at about the same time
constexpr int CONSUMERS = 256, THREADS = CONSUMERS + 128;
constexpr int FEW = 24, MANY = 240;        // registers for a thread that copies, and for one that multiplies

typedef unsigned short Half;  // the bits of a bfloat16
typedef unsigned long long Barrier;

struct Stage {
    Half a[ROWS][DEPTH];
    Half b[COLUMNS / DEPTH][DEPTH][DEPTH];  // boxes side by side
};
constexpr int BYTES = sizeof(Stage);

struct Ring {
    Stage stages[STAGES];
    Barrier full[STAGES], empty[STAGES];
};

// What the host has made: sizes, pitches, the box and its swizzle.
struct __align__(64) TensorMap { unsigned long long words[16]; };
// ANCHOR_END: shape

__device__ unsigned shared_address(const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// ANCHOR: barriers
__device__ void init(Barrier& barrier, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(shared_address(&barrier)), "r"(arrivals) : "memory");
}

__device__ void arrive_and_expect(Barrier& barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
        :: "r"(shared_address(&barrier)), "r"(bytes) : "memory");
}

__device__ void arrive_at(Barrier& barrier, int block) {
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
        " mbarrier.arrive.shared::cluster.b64 _, [there]; }"
        :: "r"(shared_address(&barrier)), "r"(block) : "memory");
}

__device__ void wait(Barrier& barrier, int parity) {
    unsigned is_over;
    do {
        asm volatile("{ .reg .pred over; mbarrier.try_wait.parity.shared.b64 over, [%1], %2;"
            " selp.u32 %0, 1, 0, over; }" : "=r"(is_over) : "r"(shared_address(&barrier)), "r"(parity) : "memory");
    } while (!is_over);
}

__device__ int block_in_cluster() {
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ void wait_for_cluster() {
    asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}

template <int COUNT>
__device__ void give_registers() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(COUNT)); }

template <int COUNT>
__device__ void take_registers() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(COUNT)); }
// ANCHOR_END: barriers

// ANCHOR: boxes
__device__ void copy_box(Half* to, const TensorMap& map, int x, int y, Barrier& full) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
        :: "r"(shared_address(to)), "l"(&map), "r"(x), "r"(y), "r"(shared_address(&full)) : "memory");
}

__device__ void copy_box_to_both(Half* to, const TensorMap& map, int x, int y, Barrier& full) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1, {%2, %3}], [%4], %5;"
        :: "r"(shared_address(to)), "l"(&map), "r"(x), "r"(y), "r"(shared_address(&full)), "h"((unsigned short)3) : "memory");
}
// ANCHOR_END: boxes

// ANCHOR: wgmma
// How a matrix is in shared memory: where it begins, the distance of boxes side by side and of groups of eight rows, both in units of
// 16 bytes, and that its rows have 128 bytes and are swizzled.
__device__ unsigned long long matrix(const Half* first, int boxes_apart) {
    unsigned long long rows_apart = 8 * 128;
    return (shared_address(first) & 0x3ffff) >> 4 | (unsigned long long)(boxes_apart >> 4) << 16 | (rows_apart >> 4) << 32 | 1ull << 62;
}

// Nothing that the warpgroup has written to its registers is still under way.
__device__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

template <int LEFT>
__device__ void wgmma_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(LEFT) : "memory"); }

#define EIGHT(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), \
    "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define THIRTY_TWO(d, i) EIGHT(d, i), EIGHT(d, i + 8), EIGHT(d, i + 16), EIGHT(d, i + 24)

// 64 rows and 16 columns of A times 16 rows and 256 columns of B, added to d or, if `adds` is 0, in place of d. The last two numbers
// say that A is stored row after row and B too, which is "transposed" for B.
__device__ void wgmma(float (&d)[128], unsigned long long a, unsigned long long b, int adds) {
    asm volatile("{ .reg .pred adds; setp.ne.b32 adds, %130, 0;"
        " wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
        "}, %128, %129, adds, 1, 1, 0, 1; }"
        : THIRTY_TWO(d, 0), THIRTY_TWO(d, 32), THIRTY_TWO(d, 64), THIRTY_TWO(d, 96) : "l"(a), "l"(b), "r"(adds));
}
// ANCHOR_END: wgmma

// ANCHOR: tiles
struct Tile { int row, column; };

// Which tile comes when: down through a group of rows, then to the next column, so that the tiles of one moment share what they read.
__device__ Tile tile_of(int number, int tiles_down, int tiles_across) {
    int group = number / (GROUP * tiles_across), left = number % (GROUP * tiles_across);
    int down = min(GROUP, tiles_down - group * GROUP);
    return {group * GROUP + left % down, left / down};
}
// ANCHOR_END: tiles

// ANCHOR: producer
// One thread orders the copies of all stages of a tile. `round` goes on from tile to tile.
template <int CLUSTER>
__device__ void produce(Ring& ring, const TensorMap& a, const TensorMap& b, Tile tile, int& round, int n) {
    constexpr int OWN = COLUMNS / DEPTH / CLUSTER;  // boxes of B that this block copies
    int first = CLUSTER > 1 ? block_in_cluster() * OWN : 0;
    for (int k = 0; k < n; k += DEPTH, round++) {
        int s = round % STAGES;
        Stage& stage = ring.stages[s];
        wait(ring.empty[s], round / STAGES % 2 ^ 1);
        arrive_and_expect(ring.full[s], BYTES);
        copy_box(stage.a[0], a, k, tile.row, ring.full[s]);
        for (int box = first; box < first + OWN; box++) {
            if (CLUSTER == 1) copy_box(stage.b[box][0], b, tile.column + box * DEPTH, k, ring.full[s]);
            else copy_box_to_both(stage.b[box][0], b, tile.column + box * DEPTH, k, ring.full[s]);
        }
    }
}
// ANCHOR_END: producer

// ANCHOR: consumer
// A warpgroup multiplies its 64 rows of a tile. While one stage is being multiplied, the last one is given back.
template <int CLUSTER>
__device__ void consume(Ring& ring, float* c, Tile tile, int& round, int n) {
    float sums[128];
    int group = threadIdx.x / 128, lane = threadIdx.x % 32;
    for (int k = 0; k < n; k += DEPTH, round++) {
        int s = round % STAGES;
        Stage& stage = ring.stages[s];
        wait(ring.full[s], round / STAGES % 2);
        wgmma_fence();
#pragma unroll
        for (int inner = 0; inner < DEPTH; inner += 16) {
            wgmma(sums, matrix(&stage.a[group * 64][inner], 16), matrix(stage.b[0][inner], DEPTH * 128), k + inner);
        }
        wgmma_commit();
        wgmma_wait<1>();
        if (k > 0 && lane < CLUSTER) arrive_at(ring.empty[(round - 1) % STAGES], lane);
    }
    wgmma_wait<0>();
    if (lane < CLUSTER) arrive_at(ring.empty[(round - 1) % STAGES], lane);
    int row = tile.row + threadIdx.x / 32 * 16 + lane / 4, column = tile.column + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < COLUMNS / 8; j++) {
        float* to = c + row * n + column + j * 8;
        *reinterpret_cast<float2*>(to) = make_float2(sums[j * 4], sums[j * 4 + 1]);
        *reinterpret_cast<float2*>(to + 8 * n) = make_float2(sums[j * 4 + 2], sums[j * 4 + 3]);
    }
}
// ANCHOR_END: consumer

// ANCHOR: product_wgmma
__device__ Ring& start(int arrivals) {
    extern __shared__ unsigned char memory[];
    Ring& ring = *reinterpret_cast<Ring*>(memory + (1024 - shared_address(memory) % 1024) % 1024);
    if (threadIdx.x < STAGES) {
        init(ring.full[threadIdx.x], 1);
        init(ring.empty[threadIdx.x], arrivals);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    return ring;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    product_wgmma(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int n) {
    Ring& ring = start(CONSUMERS / 32);
    __syncthreads();
    Tile tile = tile_of(blockIdx.y * gridDim.x + blockIdx.x, n / ROWS, n / COLUMNS);
    tile = {tile.row * ROWS, tile.column * COLUMNS};
    int round = 0;
    if (threadIdx.x < CONSUMERS) {
        take_registers<MANY>();
        consume<1>(ring, c, tile, round, n);
    } else {
        give_registers<FEW>();
        if (threadIdx.x == CONSUMERS) produce<1>(ring, a, b, tile, round, n);
    }
}
// ANCHOR_END: product_wgmma

// ANCHOR: product_wgmma_cluster
__device__ Tile tile_in_cluster(int number, int n) {
    Tile tile = tile_of(number, n / (2 * ROWS), n / COLUMNS);
    return {(tile.row * 2 + block_in_cluster()) * ROWS, tile.column * COLUMNS};
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(THREADS, 1)
    product_wgmma_cluster(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int n) {
    Ring& ring = start(CONSUMERS / 32 * 2);
    wait_for_cluster();
    int tiles = n / (2 * ROWS) * (n / COLUMNS), round = 0;
    if (threadIdx.x < CONSUMERS) {
        take_registers<MANY>();
        for (int i = blockIdx.x / 2; i < tiles; i += gridDim.x / 2) consume<2>(ring, c, tile_in_cluster(i, n), round, n);
    } else {
        give_registers<FEW>();
        for (int i = blockIdx.x / 2; threadIdx.x == CONSUMERS && i < tiles; i += gridDim.x / 2) {
            produce<2>(ring, a, b, tile_in_cluster(i, n), round, n);
        }
    }
    wait_for_cluster();  // the other block may still copy into this one, or arrive at its barriers
}
// ANCHOR_END: product_wgmma_cluster
