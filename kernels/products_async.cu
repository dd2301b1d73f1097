// The matrix product of products.cu with asynchronous copies: while a block multiplies two tiles, the next ones are on their
// way from global to shared memory, and no thread holds them in registers meanwhile.
//
//   product_async             `cp.async` into a ring of stages; one wait and one barrier for each of them.
//   product_async_no_wait     The same without the wait: a thread does not know whether its own copies have arrived.
//   product_async_late_wait   It waits until one group more than it may is under way.
//   product_async_no_commit   The copies are never made a group, so the wait has nothing to wait for.
//   product_async_no_barrier  The same without the barrier: a thread does not know about the copies of the others.
//   product_async_too_early   The next copies are issued before the barrier: others may still be reading that stage.
//   product_ahead             The same as product_async, and each thread loads from shared memory one step ahead too.
//
// Launch: blocks of THREADS threads, (n / COLUMNS, n / ROWS) of them.
// Preconditions: a, b and c are n times n floats, row after row, at addresses of a multiple of 16; n is a multiple of ROWS
// and of COLUMNS.
// A line that takes part in a race says so at its end.
//
// builds: sm_80

// ANCHOR: shape
constexpr int ROWS = 128, COLUMNS = 128;  // of C, for a block
constexpr int DEPTH = 8;                  // columns of A and rows of B at a time
constexpr int STAGES = 3;
constexpr int DOWN = 16, ACROSS = 8;      // rows and columns of C for a thread
// The lanes of a warp are 4 times 8, and the warps of a block side by side as often as they fit.
constexpr int WARPS_ACROSS = COLUMNS / (8 * ACROSS);
constexpr int THREADS = ROWS / DOWN * (COLUMNS / ACROSS);
constexpr int BLOCKS = 2;  // of a multiprocessor: 256 registers for each thread

struct Stage {
    float a[DEPTH][ROWS + 4];  // transposed, and four floats more, so that copies of a warp go to different banks
    float b[DEPTH][COLUMNS];
};
// ANCHOR_END: shape

// ANCHOR: copies
__device__ unsigned shared_address(const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// Only copies of 4 bytes can transpose.
__device__ void copy_4_bytes(float* to, const float* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(shared_address(to)), "l"(from) : "memory");
}

__device__ void copy_16_bytes(float* to, const float* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_address(to)), "l"(from) : "memory");
}

// The copies of this thread since the last commit become a group.
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most so many of this thread's groups are under way.
template <int LEFT>
__device__ void wait_for_copies() { asm volatile("cp.async.wait_group %0;" :: "n"(LEFT) : "memory"); }

// Issues this thread's part of the copies of a stage, from rows of A and columns of B.
__device__ void fetch(Stage& stage, const float* a, const float* b, int n) {
    int row = threadIdx.x / DEPTH, column = threadIdx.x % DEPTH;
#pragma unroll
    for (int i = 0; i < ROWS; i += THREADS / DEPTH) {
        copy_4_bytes(&stage.a[column][i + row], a + (i + row) * n + column);
    }
    row = threadIdx.x / (COLUMNS / 4), column = threadIdx.x % (COLUMNS / 4) * 4;
#pragma unroll
    for (int i = 0; i < DEPTH; i += THREADS / (COLUMNS / 4)) {
        copy_16_bytes(&stage.b[i + row][column], b + (i + row) * n + column);
    }
}
// ANCHOR_END: copies

// ANCHOR: multiply
// Four floats that are loaded and stored by one instruction.
struct __align__(16) Four { float at[4]; };

__device__ const Four& four(const float& first) { return *reinterpret_cast<const Four*>(&first); }

// What a thread has of C: rows in pieces of four that are 16 apart, and columns in pieces of four that are 32 apart. Lanes that
// are neighbours have the same rows, and lanes that are neighbours but one the same columns: then loads of 16 bytes are served
// for 16 lanes at a time, and otherwise for 8.
struct Part {
    float sums[DOWN][ACROSS];
    int row, column;

    __device__ Part() : sums(), row(), column() {
        int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        row = warp / WARPS_ACROSS * 4 * DOWN + (lane / 2 % 2 + lane / 8 % 2 * 2) * 4;
        column = warp % WARPS_ACROSS * 8 * ACROSS + (lane % 2 + lane / 4 % 2 * 2 + lane / 16 * 4) * 4;
    }
};

// A column of A and a row of B, as far as a thread needs them.
struct Step { Four a[DOWN / 4], b[ACROSS / 4]; };

__device__ void load(Step& step, const Part& part, const Stage& stage, int k) {
#pragma unroll
    for (int i = 0; i < DOWN / 4; i++) step.a[i] = four(stage.a[k][part.row + i * 16]);
#pragma unroll
    for (int j = 0; j < ACROSS / 4; j++) step.b[j] = four(stage.b[k][part.column + j * 32]);
}

// There and back, so that an instruction has one operand of the last one.
__device__ void multiply(Part& part, const Step& step) {
#pragma unroll
    for (int i = 0; i < DOWN; i++) {
#pragma unroll
        for (int there = 0; there < ACROSS; there++) {
            int j = i % 2 == 0 ? there : ACROSS - 1 - there;
            part.sums[i][j] += step.a[i / 4].at[i % 4] * step.b[j / 4].at[j % 4];
        }
    }
}

__device__ void multiply(Part& part, const Stage& stage) {
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        Step step;
        load(step, part, stage, k);
        multiply(part, step);
    }
}

// The same in a loop, for the wrong versions: of these only the copies matter, and their PTX should be short.
__device__ void multiply_step_by_step(Part& part, const Stage& stage) {
#pragma unroll 1
    for (int k = 0; k < DEPTH; k++) {
        Step step;
        load(step, part, stage, k);
        multiply(part, step);
    }
}

// Four floats that one instruction stores are in four registers in a row. Adding zero moves the sums there, so that they can be in
// other registers before: an instruction whose operands are in registers of one bank takes longer.
__device__ void store(const Part& part, float* c, int n) {
#pragma unroll
    for (int i = 0; i < DOWN; i++) {
        float* to = c + (part.row + i / 4 * 16 + i % 4) * n + part.column;
#pragma unroll
        for (int j = 0; j < ACROSS; j += 4) {
            const float* sums = &part.sums[i][j];
            Four moved = {sums[0] + 0.0f, sums[1] + 0.0f, sums[2] + 0.0f, sums[3] + 0.0f};
            *reinterpret_cast<Four*>(to + j * 8) = moved;
        }
    }
}
// ANCHOR_END: multiply

// ANCHOR: ring
// The stages, and where the tiles of this block come from.
struct Source {
    const float *a, *b;
    int n;

    __device__ Source(const float* a, const float* b, int n)
        : a(a + blockIdx.y * ROWS * n), b(b + blockIdx.x * COLUMNS), n(n) {}

    __device__ void fetch_round(Stage* stages, int round) const {
        if (round * DEPTH < n) fetch(stages[round % STAGES], a + round * DEPTH, b + round * DEPTH * n, n);
    }
};

__device__ void store_tile(const Part& part, float* c, int n) {
    store(part, c + blockIdx.y * ROWS * n + blockIdx.x * COLUMNS, n);
}
// ANCHOR_END: ring

// ANCHOR: product_async
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    product_async(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) Stage stages[STAGES];
    Source source(a, b, n);
    Part part;
    for (int round = 0; round < STAGES - 1; round++) {
        source.fetch_round(stages, round);
        commit();
    }
    for (int round = 0; round < n / DEPTH; round++) {
        wait_for_copies<STAGES - 2>();  // this thread's copies for the round have arrived,
        __syncthreads();                // and everybody's; and nobody reads the stage of the last round any more
        source.fetch_round(stages, round + STAGES - 1);
        commit();
        multiply(part, stages[round % STAGES]);
    }
    store_tile(part, c, n);
}
// ANCHOR_END: product_async

// ANCHOR: product_async_no_wait
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    product_async_no_wait(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) Stage stages[STAGES];
    Source source(a, b, n);
    Part part;
    for (int round = 0; round < STAGES - 1; round++) {
        source.fetch_round(stages, round);  // race
        commit();
    }
    for (int round = 0; round < n / DEPTH; round++) {
        __syncthreads();
        source.fetch_round(stages, round + STAGES - 1);
        commit();
        multiply_step_by_step(part, stages[round % STAGES]);  // race
    }
    store_tile(part, c, n);
}
// ANCHOR_END: product_async_no_wait

// ANCHOR: product_async_late_wait
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    product_async_late_wait(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) Stage stages[STAGES];
    Source source(a, b, n);
    Part part;
    for (int round = 0; round < STAGES - 1; round++) {
        source.fetch_round(stages, round);  // race
        commit();
    }
    for (int round = 0; round < n / DEPTH; round++) {
        wait_for_copies<STAGES - 1>();
        __syncthreads();
        source.fetch_round(stages, round + STAGES - 1);
        commit();
        multiply_step_by_step(part, stages[round % STAGES]);  // race
    }
    store_tile(part, c, n);
}
// ANCHOR_END: product_async_late_wait

// ANCHOR: product_async_no_commit
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    product_async_no_commit(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) Stage stages[STAGES];
    Source source(a, b, n);
    Part part;
    for (int round = 0; round < STAGES - 1; round++) {
        source.fetch_round(stages, round);  // race
    }
    for (int round = 0; round < n / DEPTH; round++) {
        wait_for_copies<STAGES - 2>();
        __syncthreads();
        source.fetch_round(stages, round + STAGES - 1);
        multiply_step_by_step(part, stages[round % STAGES]);  // race
    }
    store_tile(part, c, n);
}
// ANCHOR_END: product_async_no_commit

// ANCHOR: product_async_no_barrier
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    product_async_no_barrier(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) Stage stages[STAGES];
    Source source(a, b, n);
    Part part;
    for (int round = 0; round < STAGES - 1; round++) {
        source.fetch_round(stages, round);
        commit();
    }
    for (int round = 0; round < n / DEPTH; round++) {
        wait_for_copies<STAGES - 2>();
        source.fetch_round(stages, round + STAGES - 1);  // race
        commit();
        multiply_step_by_step(part, stages[round % STAGES]);  // race
    }
    store_tile(part, c, n);
}
// ANCHOR_END: product_async_no_barrier

// ANCHOR: product_async_too_early
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    product_async_too_early(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) Stage stages[STAGES];
    Source source(a, b, n);
    Part part;
    for (int round = 0; round < STAGES - 1; round++) {
        source.fetch_round(stages, round);
        commit();
    }
    for (int round = 0; round < n / DEPTH; round++) {
        source.fetch_round(stages, round + STAGES - 1);  // race
        commit();
        wait_for_copies<STAGES - 1>();
        __syncthreads();
        multiply_step_by_step(part, stages[round % STAGES]);  // race
    }
    store_tile(part, c, n);
}
// ANCHOR_END: product_async_too_early

// ANCHOR: product_ahead
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    product_ahead(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) Stage stages[STAGES];
    Source source(a, b, n);
    Part part;
    Step steps[2];
    for (int round = 0; round < STAGES - 1; round++) {
        source.fetch_round(stages, round);
        commit();
    }
    wait_for_copies<STAGES - 2>();
    __syncthreads();
    load(steps[0], part, stages[0], 0);
    for (int round = 0; round < n / DEPTH; round++) {
        source.fetch_round(stages, round + STAGES - 1);
        commit();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            bool is_last = k == DEPTH - 1;
            if (is_last) {  // the next step is in the next stage
                wait_for_copies<STAGES - 2>();
                __syncthreads();
            }
            load(steps[(k + 1) % 2], part, stages[(round + is_last) % STAGES], (k + 1) % DEPTH);
            multiply(part, steps[k % 2]);
        }
    }
    store_tile(part, c, n);
}
// ANCHOR_END: product_ahead
