// The matrix product of kernels/products_async.cu with the unit that copies in bulk: a warpgroup of a block orders the copies, the
// others multiply, and barriers in shared memory are all that they have in common.
//
//   product_bulk     `cp.async.bulk` copies a row of a tile at a time. `full` counts the bytes that arrive in a stage, and
//                    `empty` the warps that have read it.
//   product_boxes    One copy for a whole tile: the unit has tensor maps of A and B, and swizzles the tile of A.
//   product_cluster  The same in clusters of two blocks that need the same rows of A: each copies half of them, for both.
//
// Launch: blocks of THREADS threads, (n / COLUMNS, n / ROWS) of them, with sizeof(Ring<Rows>) bytes of shared memory, or
// sizeof(Ring<Boxes>) and 1024 more.
// Preconditions: a, b and c are n times n floats, row after row, at addresses of a multiple of 16; n is a multiple of ROWS
// and, for product_cluster, of twice COLUMNS. Or a and b are tensor maps of them: in boxes of DEPTH times HALF for A, with swizzles
// of 128 bytes, and of COLUMNS times DEPTH for B, without.
//
// builds: sm_90a

// ANCHOR: shape
constexpr int ROWS = 128, COLUMNS = 256;  // of C, for a block
constexpr int DEPTH = 32;                 // columns of A and rows of B at a time: 128 bytes, as wide as a swizzle
constexpr int STAGES = 3;
constexpr int DOWN = 16, ACROSS = 8;      // rows and columns of C for a thread
constexpr int BLOCKS = 1;                 // blocks of a multiprocessor
constexpr int WARPS_ACROSS = COLUMNS / (8 * ACROSS);
constexpr int CONSUMERS = ROWS / DOWN * (COLUMNS / ACROSS);
constexpr int THREADS = CONSUMERS + 128;  // registers move from one warpgroup to another, so the producer has one to itself
constexpr int FEW = BLOCKS == 1 ? 24 : 40, MANY = BLOCKS == 1 ? 240 : 216;  // registers for a thread of each kind
constexpr int HALF = ROWS / 2;
constexpr int BYTES = (ROWS + COLUMNS) * DEPTH * 4;  // that arrive in a stage

// Four floats that are loaded and stored by one instruction.
struct __align__(16) Four { float at[4]; };

__device__ const Four& four(const float& first) { return *reinterpret_cast<const Four*>(&first); }

// Tiles that come row by row. A row of A has four floats more, so that four rows are in different banks.
struct Rows {
    float b[DEPTH][COLUMNS], a[ROWS][DEPTH + 4];

    __device__ const Four& of_a(int row, int k) const { return four(a[row][k]); }
};

// Tiles that come as boxes. Where the four floats of A are in a row depends on the row.
struct Boxes {
    float b[DEPTH][COLUMNS], a[ROWS][DEPTH];

    __device__ const Four& of_a(int row, int k) const { return four(a[row][k ^ row % 8 * 4]); }
};

typedef unsigned long long Barrier;

template <class Stage>
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

// Arrives, and says how many bytes copies are going to bring in this phase.
__device__ void arrive_and_expect(Barrier& barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
        :: "r"(shared_address(&barrier)), "r"(bytes) : "memory");
}

// Arrives at the barrier that another block of the cluster, or this one, has at the same address.
__device__ void arrive_at(Barrier& barrier, int block) {
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
        " mbarrier.arrive.shared::cluster.b64 _, [there]; }"
        :: "r"(shared_address(&barrier)), "r"(block) : "memory");
}

// Waits until the phase of this parity is over.
__device__ void wait(Barrier& barrier, int parity) {
    unsigned is_over;
    do {
        asm volatile("{ .reg .pred over; mbarrier.try_wait.parity.shared.b64 over, [%1], %2;"
            " selp.u32 %0, 1, 0, over; }" : "=r"(is_over) : "r"(shared_address(&barrier)), "r"(parity) : "memory");
    } while (!is_over);
}
// ANCHOR_END: barriers

// ANCHOR: bulk_copies
__device__ void copy(float* to, const float* from, int bytes, Barrier& full) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        :: "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(&full)) : "memory");
}

__device__ void copy_box(float* to, const TensorMap& map, int x, int y, Barrier& full) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
        :: "r"(shared_address(to)), "l"(&map), "r"(x), "r"(y), "r"(shared_address(&full)) : "memory");
}

// The same into both blocks of the cluster, and each of them counts the bytes at its own barrier.
__device__ void copy_box_to_both(float* to, const TensorMap& map, int x, int y, Barrier& full) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1, {%2, %3}], [%4], %5;"
        :: "r"(shared_address(to)), "l"(&map), "r"(x), "r"(y), "r"(shared_address(&full)), "h"((unsigned short)3) : "memory");
}
// ANCHOR_END: bulk_copies

// ANCHOR: cluster
__device__ int block_in_cluster() {
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ void wait_for_cluster() {
    asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}
// ANCHOR_END: cluster

// ANCHOR: multiply
// What a thread has of C: rows that are 4 apart, and columns in pieces of four that are 32 apart. Lanes that are neighbours have
// the same rows, and lanes that are neighbours but one the same columns: then loads of 16 bytes are served for 16 lanes at a
// time, and otherwise for 8.
struct Part {
    float sums[DOWN][ACROSS];
    int row, column;

    __device__ Part() : sums(), row(), column() {
        int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        row = warp / WARPS_ACROSS * 4 * DOWN + lane / 2 % 2 + lane / 8 % 2 * 2;
        column = warp % WARPS_ACROSS * 8 * ACROSS + (lane % 2 + lane / 4 % 2 * 2 + lane / 16 * 4) * 4;
    }
};

// There and back, so that an instruction has one operand of the last one.
template <class Stage>
__device__ void multiply(Part& part, const Stage& stage) {
#pragma unroll
    for (int k = 0; k < DEPTH; k += 4) {
        Four of_a[DOWN];
#pragma unroll
        for (int i = 0; i < DOWN; i++) of_a[i] = stage.of_a(part.row + i * 4, k);
#pragma unroll
        for (int inner = 0; inner < 4; inner++) {
            Four of_b[ACROSS / 4];
#pragma unroll
            for (int j = 0; j < ACROSS / 4; j++) of_b[j] = four(stage.b[k + inner][part.column + j * 32]);
#pragma unroll
            for (int i = 0; i < DOWN; i++) {
#pragma unroll
                for (int there = 0; there < ACROSS; there++) {
                    int j = i % 2 == 0 ? there : ACROSS - 1 - there;
                    part.sums[i][j] += of_a[i].at[inner] * of_b[j / 4].at[j % 4];
                }
            }
        }
    }
}

// Adding zero lets the sums be in other registers before, as in products_async.cu.
__device__ void store(const Part& part, float* c, int n) {
#pragma unroll
    for (int i = 0; i < DOWN; i++) {
#pragma unroll
        for (int j = 0; j < ACROSS; j += 4) {
            const float* sums = &part.sums[i][j];
            Four moved = {sums[0] + 0.0f, sums[1] + 0.0f, sums[2] + 0.0f, sums[3] + 0.0f};
            *reinterpret_cast<Four*>(c + (part.row + i * 4) * n + part.column + j * 8) = moved;
        }
    }
}
// ANCHOR_END: multiply

// ANCHOR: producer
template <int COUNT>
__device__ void give_registers() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(COUNT)); }

template <int COUNT>
__device__ void take_registers() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(COUNT)); }

// Each thread of the last warpgroup copies rows of both tiles, and the first of them says how many bytes a stage gets. Bytes may
// arrive before that: the phase cannot end without its arrival.
__device__ void produce_rows(Ring<Rows>& ring, const float* a, const float* b, int n) {
    int thread = threadIdx.x - CONSUMERS;
    for (int round = 0; round < n / DEPTH; round++) {
        int s = round % STAGES;
        Rows& stage = ring.stages[s];
        wait(ring.empty[s], round / STAGES % 2 ^ 1);  // the first time round every stage is empty
        if (thread == 0) arrive_and_expect(ring.full[s], BYTES);
        for (int row = thread; row < ROWS; row += 128) {
            copy(stage.a[row], a + row * n + round * DEPTH, DEPTH * 4, ring.full[s]);
        }
        for (int k = thread; k < DEPTH; k += 128) {
            copy(stage.b[k], b + (round * DEPTH + k) * n, COLUMNS * 4, ring.full[s]);
        }
    }
}

// One thread is enough for boxes. `row` and `column` are those of the first element of C.
template <int CLUSTER>
__device__ void produce_boxes(Ring<Boxes>& ring, const TensorMap& a, const TensorMap& b, int row, int column, int n) {
    int own = CLUSTER > 1 ? block_in_cluster() * HALF : 0;
    for (int round = 0; round < n / DEPTH; round++) {
        int s = round % STAGES, k = round * DEPTH;
        Boxes& stage = ring.stages[s];
        wait(ring.empty[s], round / STAGES % 2 ^ 1);
        arrive_and_expect(ring.full[s], BYTES);
        copy_box(stage.b[0], b, column, k, ring.full[s]);
        if (CLUSTER > 1) {
            copy_box_to_both(stage.a[own], a, k, row + own, ring.full[s]);
        } else {
            copy_box(stage.a[0], a, k, row, ring.full[s]);
            copy_box(stage.a[HALF], a, k, row + HALF, ring.full[s]);
        }
    }
}
// ANCHOR_END: producer

// ANCHOR: consumer
template <int CLUSTER, class Stage>
__device__ void consume(Ring<Stage>& ring, float* c, int n) {
    Part part;
    for (int round = 0; round < n / DEPTH; round++) {
        int s = round % STAGES;
        wait(ring.full[s], round / STAGES % 2);
        multiply(part, ring.stages[s]);
        __syncwarp();
        if (threadIdx.x % 32 < CLUSTER) arrive_at(ring.empty[s], threadIdx.x % 32);
    }
    store(part, c, n);
}
// ANCHOR_END: consumer

// ANCHOR: product_bulk
extern __shared__ unsigned char memory[];

template <class Stage>
__device__ Ring<Stage>& start(int arrivals) {
    int alignment = 1024;  // of a swizzle
    Ring<Stage>& ring = *reinterpret_cast<Ring<Stage>*>(memory + -shared_address(memory) % alignment);
    if (threadIdx.x < STAGES) {
        init(ring.full[threadIdx.x], 1);
        init(ring.empty[threadIdx.x], arrivals);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    return ring;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    product_bulk(const float* a, const float* b, float* c, int n) {
    Ring<Rows>& ring = start<Rows>(CONSUMERS / 32);
    __syncthreads();
    int row = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS;
    if (threadIdx.x < CONSUMERS) {
        take_registers<MANY>();
        consume<1>(ring, c + row * n + column, n);
    } else {
        give_registers<FEW>();
        produce_rows(ring, a + row * n, b + column, n);
    }
}
// ANCHOR_END: product_bulk

// ANCHOR: product_boxes
template <int CLUSTER>
__device__ void product(const TensorMap& a, const TensorMap& b, float* c, int n) {
    Ring<Boxes>& ring = start<Boxes>(CONSUMERS / 32 * CLUSTER);
    if (CLUSTER > 1) wait_for_cluster();
    else __syncthreads();
    int row = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS;
    if (threadIdx.x < CONSUMERS) {
        take_registers<MANY>();
        consume<CLUSTER>(ring, c + row * n + column, n);
    } else {
        give_registers<FEW>();
        if (threadIdx.x == CONSUMERS) produce_boxes<CLUSTER>(ring, a, b, row, column, n);
    }
    if (CLUSTER > 1) wait_for_cluster();  // the other block may still copy into this one, or arrive at its barriers
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    product_boxes(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int n) {
    product<1>(a, b, c, n);
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(THREADS, BLOCKS)
    product_cluster(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int n) {
    product<2>(a, b, c, n);
}
// ANCHOR_END: product_boxes
