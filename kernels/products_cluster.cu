// The matrix product of products_bulk.cu in clusters: two blocks, one above the other in C, need the same columns of B. Each of
// them orders half of B's tile, and every copy puts its bytes into the shared memory of both.
//
//   product_apart          No clusters: each block gets its tiles for itself. One warp orders and one multiplies.
//   product_pair           Two blocks share the tile of B. `empty` counts the warps of both, and the cluster has two barriers.
//   product_pair_no_start  The first barrier is one of the block, so a copy may come before the other block is ready for it.
//   product_pair_no_end    So is the last one, so a block may end while the other still arrives at its barriers.
//   product_pair_own_only  A stage is given back to the supplier of the same block alone, and the other one doesn't wait.
//
// Launch: blocks of THREADS threads, (n / COLUMNS, n / ROWS) of them. Except for product_apart they are in clusters of (1, 2).
// Preconditions: a, b and c are n times n floats, row after row, at addresses of a multiple of 16; n is a multiple of COLUMNS
// and of twice ROWS.
// A line that takes part in a race says so at its end.
//
// builds: sm_90

// ANCHOR: shape
constexpr int ROWS = 32, COLUMNS = 64;  // of C, for a block
constexpr int DEPTH = 8;                // columns of A and rows of B at a time
constexpr int STAGES = 3;
constexpr int OWN = 8;                  // rows and columns of C for a thread
constexpr int CONSUMERS = ROWS / OWN * (COLUMNS / OWN);
constexpr int THREADS = CONSUMERS + 32;
constexpr int BLOCKS = 2;               // of a cluster
constexpr int PART = DEPTH / BLOCKS;    // rows of B that a block orders for all
constexpr int BYTES = (ROWS * DEPTH + DEPTH * COLUMNS) * 4;  // that copies bring to a stage

typedef unsigned long long Barrier;

struct __align__(16) Stage {
    float a[ROWS][DEPTH + 4];  // four floats more, so that four rows are in different banks
    float b[DEPTH][COLUMNS];
};

struct __align__(16) Memory {
    Stage stages[STAGES];
    float c[ROWS][COLUMNS];
    Barrier full[STAGES], empty[STAGES];
};
// ANCHOR_END: shape

__device__ unsigned shared_address(const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// ANCHOR: barriers
__device__ void init(Barrier& barrier, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(shared_address(&barrier)), "r"(arrivals) : "memory");
}

// Arrives, and announces how many bytes copies are going to bring in this phase.
__device__ void arrive_and_expect(Barrier& barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
        :: "r"(shared_address(&barrier)), "r"(bytes) : "memory");
}

// Waits until the phase of this parity is over.
__device__ void wait(Barrier& barrier, int parity) {
    unsigned is_over;
    do {
        asm volatile("{ .reg .pred over; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over, [%1], %2;"
            " selp.u32 %0, 1, 0, over; }" : "=r"(is_over) : "r"(shared_address(&barrier)), "r"(parity) : "memory");
    } while (!is_over);
}
// ANCHOR_END: barriers

// ANCHOR: cluster
__device__ int block_in_cluster() {
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// Arrives at the barrier that this block of the cluster has at the same address.
__device__ void arrive_at(Barrier& barrier, int block) {
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
        " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }"
        :: "r"(shared_address(&barrier)), "r"(block) : "memory");
}

// All threads of all blocks of the cluster meet here.
__device__ void wait_for_cluster() {
    asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}

// Into both blocks, at the same address in each. The bytes count at the barrier of the block in which they arrive.
__device__ void copy_to_both(float* to, const float* from, int bytes, Barrier& full) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1], %2, [%3], %4;"
        :: "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(&full)), "h"((unsigned short)3) : "memory");
}
// ANCHOR_END: cluster

// ANCHOR: copies
// The bytes count at the barrier when they have arrived.
__device__ void copy_in(float* to, const float* from, int bytes, Barrier& full) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        :: "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(&full)) : "memory");
}

__device__ void copy_out(float* to, const float* from, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
        :: "l"(to), "r"(shared_address(from)), "r"(bytes) : "memory");
}

// Until the copies out have read shared memory, which ends with the block.
__device__ void wait_until_read() {
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// What this thread has stored so far is there for copies that are ordered after it.
__device__ void fence_for_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
// ANCHOR_END: copies

// ANCHOR: source
__device__ bool is_supplier() { return threadIdx.x >= CONSUMERS; }

// Where the tiles of this block come from, and where the finished one goes. The lanes of the supplying warp share the rows.
struct Source {
    const float *a, *b;
    float* c;
    int n;

    __device__ Source(const float* a, const float* b, float* c, int n)
        : a(a + blockIdx.y * ROWS * n), b(b + blockIdx.x * COLUMNS),
          c(c + blockIdx.y * ROWS * n + blockIdx.x * COLUMNS), n(n) {}

    __device__ void order_a(Stage& stage, int round, Barrier& full) const {
        for (int i = threadIdx.x % 32; i < ROWS; i += 32) copy_in(stage.a[i], a + i * n + round * DEPTH, DEPTH * 4, full);
    }

    __device__ void order_b(Stage& stage, int round, Barrier& full) const {
        for (int k = threadIdx.x % 32; k < DEPTH; k += 32) copy_in(stage.b[k], b + (round * DEPTH + k) * n, COLUMNS * 4, full);
    }

    // This block's part of the tile of B, for all blocks of the cluster.
    __device__ void order_part_of_b(Stage& stage, int round, Barrier& full) const {
        int first = block_in_cluster() * PART;
        for (int k = first + threadIdx.x % 32; k < first + PART; k += 32) {
            copy_to_both(stage.b[k], b + (round * DEPTH + k) * n, COLUMNS * 4, full);
        }
    }

    __device__ void order_out(const Memory& memory) const {
        for (int i = threadIdx.x % 32; i < ROWS; i += 32) copy_out(c + i * n, memory.c[i], COLUMNS * 4);
        wait_until_read();
    }
};
// ANCHOR_END: source

// ANCHOR: multiply
struct __align__(16) Four { float at[4]; };

__device__ Four& four(float& first) { return *reinterpret_cast<Four*>(&first); }
__device__ const Four& four(const float& first) { return *reinterpret_cast<const Four*>(&first); }

// What a thread has of C: rows that are 4 apart, and two pieces of four columns that are 32 apart.
struct Part {
    float sums[OWN][OWN];
    int row, column;

    __device__ Part() : sums(), row(), column() {
        int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        row = warp * 4 * OWN + lane / 8, column = lane % 8 * 4;
    }
};

__device__ void multiply(Part& part, const Stage& stage) {
#pragma unroll
    for (int k = 0; k < DEPTH; k += 4) {
        Four of_a[OWN];
#pragma unroll
        for (int i = 0; i < OWN; i++) of_a[i] = four(stage.a[part.row + i * 4][k]);
#pragma unroll
        for (int inner = 0; inner < 4; inner++) {
            Four of_b[2];
#pragma unroll
            for (int j = 0; j < 2; j++) of_b[j] = four(stage.b[k + inner][part.column + j * 32]);
#pragma unroll
            for (int i = 0; i < OWN; i++) {
#pragma unroll
                for (int j = 0; j < OWN; j++) part.sums[i][j] += of_a[i].at[inner] * of_b[j / 4].at[j % 4];
            }
        }
    }
}

__device__ void put(const Part& part, Memory& memory) {
#pragma unroll
    for (int i = 0; i < OWN; i++) {
#pragma unroll
        for (int j = 0; j < OWN; j += 4) {
            four(memory.c[part.row + i * 4][part.column + j * 8]) = four(part.sums[i][j]);
        }
    }
}
// ANCHOR_END: multiply

// ANCHOR: hand_over
// One arrival fills a stage, the supplier's. What empties it are the warps that read it, of one block or of both.
__device__ void prepare(Memory& memory, int readers) {
    if (threadIdx.x < STAGES) {
        init(memory.full[threadIdx.x], 1);
        init(memory.empty[threadIdx.x], readers);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
}

// By one lane of the supplying warp, before the others order anything.
__device__ void announce(Barrier& full, int bytes) {
    if (threadIdx.x % 32 == 0) arrive_and_expect(full, bytes);
    __syncwarp();
}

// To the suppliers of this many blocks, by one lane for each, after the others have read.
__device__ void give_back(Barrier& empty, int first, int blocks) {
    __syncwarp();
    if (threadIdx.x % 32 < blocks) arrive_at(empty, first + threadIdx.x % 32);
}
// ANCHOR_END: hand_over

// ANCHOR: product_apart
extern "C" __global__ void product_apart(const float* a, const float* b, float* c, int n) {
    __shared__ Memory memory;
    Source source(a, b, c, n);
    prepare(memory, CONSUMERS / 32);
    __syncthreads();
    if (is_supplier()) {
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.empty[s], lap % 2 ^ 1);  // in the first lap every stage is empty
            announce(memory.full[s], BYTES);
            source.order_a(memory.stages[s], round, memory.full[s]);
            source.order_b(memory.stages[s], round, memory.full[s]);
        }
    } else {
        Part part;
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.full[s], lap % 2);
            multiply(part, memory.stages[s]);
            give_back(memory.empty[s], block_in_cluster(), 1);
        }
        put(part, memory);
        fence_for_copies();
    }
    __syncthreads();
    if (is_supplier()) source.order_out(memory);
}
// ANCHOR_END: product_apart

// ANCHOR: product_pair
extern "C" __global__ void __cluster_dims__(1, BLOCKS, 1)
    product_pair(const float* a, const float* b, float* c, int n) {
    __shared__ Memory memory;
    Source source(a, b, c, n);
    prepare(memory, BLOCKS * CONSUMERS / 32);
    wait_for_cluster();
    if (is_supplier()) {
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.empty[s], lap % 2 ^ 1);  // in the first lap every stage is empty
            announce(memory.full[s], BYTES);
            source.order_a(memory.stages[s], round, memory.full[s]);
            source.order_part_of_b(memory.stages[s], round, memory.full[s]);
        }
    } else {
        Part part;
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.full[s], lap % 2);
            multiply(part, memory.stages[s]);
            give_back(memory.empty[s], 0, BLOCKS);
        }
        put(part, memory);
        fence_for_copies();
    }
    wait_for_cluster();
    if (is_supplier()) source.order_out(memory);
}
// ANCHOR_END: product_pair

// ANCHOR: product_pair_no_start
extern "C" __global__ void __cluster_dims__(1, BLOCKS, 1)
    product_pair_no_start(const float* a, const float* b, float* c, int n) {
    __shared__ Memory memory;
    Source source(a, b, c, n);
    prepare(memory, BLOCKS * CONSUMERS / 32);  // race
    __syncthreads();
    if (is_supplier()) {
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.empty[s], lap % 2 ^ 1);  // in the first lap every stage is empty
            announce(memory.full[s], BYTES);
            source.order_a(memory.stages[s], round, memory.full[s]);
            source.order_part_of_b(memory.stages[s], round, memory.full[s]);  // race
        }
    } else {
        Part part;
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.full[s], lap % 2);
            multiply(part, memory.stages[s]);
            give_back(memory.empty[s], 0, BLOCKS);
        }
        put(part, memory);
        fence_for_copies();
    }
    wait_for_cluster();
    if (is_supplier()) source.order_out(memory);
}
// ANCHOR_END: product_pair_no_start

// ANCHOR: product_pair_no_end
extern "C" __global__ void __cluster_dims__(1, BLOCKS, 1)
    product_pair_no_end(const float* a, const float* b, float* c, int n) {
    __shared__ Memory memory;
    Source source(a, b, c, n);
    prepare(memory, BLOCKS * CONSUMERS / 32);
    wait_for_cluster();
    if (is_supplier()) {
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.empty[s], lap % 2 ^ 1);  // in the first lap every stage is empty
            announce(memory.full[s], BYTES);
            source.order_a(memory.stages[s], round, memory.full[s]);
            source.order_part_of_b(memory.stages[s], round, memory.full[s]);
        }
    } else {
        Part part;
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.full[s], lap % 2);
            multiply(part, memory.stages[s]);
            give_back(memory.empty[s], 0, BLOCKS);  // race
        }
        put(part, memory);
        fence_for_copies();
    }
    __syncthreads();
    if (is_supplier()) source.order_out(memory);
}
// ANCHOR_END: product_pair_no_end

// ANCHOR: product_pair_own_only
extern "C" __global__ void __cluster_dims__(1, BLOCKS, 1)
    product_pair_own_only(const float* a, const float* b, float* c, int n) {
    __shared__ Memory memory;
    Source source(a, b, c, n);
    prepare(memory, CONSUMERS / 32);
    wait_for_cluster();
    if (is_supplier()) {
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.empty[s], lap % 2 ^ 1);  // in the first lap every stage is empty
            announce(memory.full[s], BYTES);
            source.order_a(memory.stages[s], round, memory.full[s]);
            source.order_part_of_b(memory.stages[s], round, memory.full[s]);  // race
        }
    } else {
        Part part;
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.full[s], lap % 2);
            multiply(part, memory.stages[s]);  // race
            give_back(memory.empty[s], block_in_cluster(), 1);
        }
        put(part, memory);
        fence_for_copies();
    }
    wait_for_cluster();
    if (is_supplier()) source.order_out(memory);
}
// ANCHOR_END: product_pair_own_only
