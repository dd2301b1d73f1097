// The matrix product of products.cu with a division of labour: one warp of a block only orders copies, `cp.async.bulk`, and the
// others only multiply. Each stage has two barriers: `full` counts the bytes that arrive, and `empty` the warps that have read it.
//
//   product_supplied           The last warp supplies the others, and the finished tile of C leaves as bulk copies too.
//   product_supplied_too_few   The supplier announces only the bytes of A's tile, so `full` may open before B's has arrived.
//   product_supplied_too_many  It announces the size of a stage, in which there is padding that no copy brings.
//   product_supplied_no_full   The others multiply without waiting for the bytes.
//   product_supplied_no_empty  The supplier does not wait until a stage has been read.
//   product_supplied_no_fence  No fence between the stores to shared memory and the copies that read them.
//
// Launch: blocks of THREADS threads, (n / COLUMNS, n / ROWS) of them.
// Preconditions: a, b and c are n times n floats, row after row, at addresses of a multiple of 16; n is a multiple of ROWS
// and of COLUMNS.
// A line that takes part in a race says so at its end.
//
// builds: sm_90

// ANCHOR: shape
constexpr int ROWS = 64, COLUMNS = 64;  // of C, for a block
constexpr int DEPTH = 8;                // columns of A and rows of B at a time
constexpr int STAGES = 3;
constexpr int OWN = 8;                  // rows and columns of C for a thread
constexpr int CONSUMERS = ROWS / OWN * (COLUMNS / OWN);
constexpr int THREADS = CONSUMERS + 32;
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

__device__ void arrive(Barrier& barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(shared_address(&barrier)) : "memory");
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
        asm volatile("{ .reg .pred over; mbarrier.try_wait.parity.shared.b64 over, [%1], %2;"
            " selp.u32 %0, 1, 0, over; }" : "=r"(is_over) : "r"(shared_address(&barrier)), "r"(parity) : "memory");
    } while (!is_over);
}
// ANCHOR_END: barriers

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

    __device__ void order(Stage& stage, int round, Barrier& full) const {
        for (int i = threadIdx.x % 32; i < ROWS; i += 32) copy_in(stage.a[i], a + i * n + round * DEPTH, DEPTH * 4, full);
        for (int k = threadIdx.x % 32; k < DEPTH; k += 32) copy_in(stage.b[k], b + (round * DEPTH + k) * n, COLUMNS * 4, full);
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
// One arrival fills a stage, the supplier's, and one of each consuming warp empties it.
__device__ void start(Memory& memory) {
    if (threadIdx.x < STAGES) {
        init(memory.full[threadIdx.x], 1);
        init(memory.empty[threadIdx.x], CONSUMERS / 32);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
}

// By one lane of the supplying warp, before the others order anything.
__device__ void announce(Barrier& full, int bytes) {
    if (threadIdx.x % 32 == 0) arrive_and_expect(full, bytes);
    __syncwarp();
}

// By one lane of a consuming warp, after the others have read.
__device__ void give_back(Barrier& empty) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(empty);
}
// ANCHOR_END: hand_over

// ANCHOR: product_supplied
extern "C" __global__ void product_supplied(const float* a, const float* b, float* c, int n) {
    __shared__ Memory memory;
    Source source(a, b, c, n);
    start(memory);
    if (is_supplier()) {
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.empty[s], lap % 2 ^ 1);  // in the first lap every stage is empty
            announce(memory.full[s], BYTES);
            source.order(memory.stages[s], round, memory.full[s]);
        }
    } else {
        Part part;
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.full[s], lap % 2);
            multiply(part, memory.stages[s]);
            give_back(memory.empty[s]);
        }
        put(part, memory);
        fence_for_copies();
    }
    __syncthreads();
    if (is_supplier()) source.order_out(memory);
}
// ANCHOR_END: product_supplied

// ANCHOR: product_supplied_too_few
extern "C" __global__ void product_supplied_too_few(const float* a, const float* b, float* c, int n) {
    __shared__ Memory memory;
    Source source(a, b, c, n);
    start(memory);
    if (is_supplier()) {
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.empty[s], lap % 2 ^ 1);  // in the first lap every stage is empty
            announce(memory.full[s], ROWS * DEPTH * 4);
            source.order(memory.stages[s], round, memory.full[s]);
        }
    } else {
        Part part;
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.full[s], lap % 2);
            multiply(part, memory.stages[s]);
            give_back(memory.empty[s]);
        }
        put(part, memory);
        fence_for_copies();
    }
    __syncthreads();
    if (is_supplier()) source.order_out(memory);
}
// ANCHOR_END: product_supplied_too_few

// ANCHOR: product_supplied_too_many
extern "C" __global__ void product_supplied_too_many(const float* a, const float* b, float* c, int n) {
    __shared__ Memory memory;
    Source source(a, b, c, n);
    start(memory);
    if (is_supplier()) {
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.empty[s], lap % 2 ^ 1);  // in the first lap every stage is empty
            announce(memory.full[s], sizeof(Stage));
            source.order(memory.stages[s], round, memory.full[s]);
        }
    } else {
        Part part;
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.full[s], lap % 2);
            multiply(part, memory.stages[s]);
            give_back(memory.empty[s]);
        }
        put(part, memory);
        fence_for_copies();
    }
    __syncthreads();
    if (is_supplier()) source.order_out(memory);
}
// ANCHOR_END: product_supplied_too_many

// ANCHOR: product_supplied_no_full
extern "C" __global__ void product_supplied_no_full(const float* a, const float* b, float* c, int n) {
    __shared__ Memory memory;
    Source source(a, b, c, n);
    start(memory);
    if (is_supplier()) {
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.empty[s], lap % 2 ^ 1);  // in the first lap every stage is empty
            announce(memory.full[s], BYTES);
            source.order(memory.stages[s], round, memory.full[s]);  // race
        }
    } else {
        Part part;
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES;
            multiply(part, memory.stages[s]);  // race
            give_back(memory.empty[s]);
        }
        put(part, memory);
        fence_for_copies();
    }
    __syncthreads();
    if (is_supplier()) source.order_out(memory);
}
// ANCHOR_END: product_supplied_no_full

// ANCHOR: product_supplied_no_empty
extern "C" __global__ void product_supplied_no_empty(const float* a, const float* b, float* c, int n) {
    __shared__ Memory memory;
    Source source(a, b, c, n);
    start(memory);
    if (is_supplier()) {
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES;
            announce(memory.full[s], BYTES);
            source.order(memory.stages[s], round, memory.full[s]);
        }
    } else {
        Part part;
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.full[s], lap % 2);
            multiply(part, memory.stages[s]);
            give_back(memory.empty[s]);
        }
        put(part, memory);
        fence_for_copies();
    }
    __syncthreads();
    if (is_supplier()) source.order_out(memory);
}
// ANCHOR_END: product_supplied_no_empty

// ANCHOR: product_supplied_no_fence
extern "C" __global__ void product_supplied_no_fence(const float* a, const float* b, float* c, int n) {
    __shared__ Memory memory;
    Source source(a, b, c, n);
    start(memory);
    if (is_supplier()) {
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.empty[s], lap % 2 ^ 1);  // in the first lap every stage is empty
            announce(memory.full[s], BYTES);
            source.order(memory.stages[s], round, memory.full[s]);
        }
    } else {
        Part part;
        for (int round = 0; round < n / DEPTH; round++) {
            int s = round % STAGES, lap = round / STAGES;
            wait(memory.full[s], lap % 2);
            multiply(part, memory.stages[s]);
            give_back(memory.empty[s]);
        }
        put(part, memory);  // race
    }
    __syncthreads();
    if (is_supplier()) source.order_out(memory);  // race
}
// ANCHOR_END: product_supplied_no_fence
