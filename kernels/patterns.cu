// Patterns that learners and libraries write, and wrong versions that race because one barrier, fence, mask or scope is
// missing. A wrong kernel says so in its name, follows the right one, and differs from it in a line or two.
//
//   sum_grid        Grid-stride loop, sums by shuffle within the warps, through shared memory between them.
//   sum_by_tiles    Tiles of 8 threads pass values on through shared memory, each with a barrier of its own.
//   aggregate       Warp-aggregated atomics: one of the lanes that run together adds for all of them.
//   tile_double     Two buffers, one barrier per round: a fast warp writes where no thread reads any more.
//   relay_named     One warp produces and one consumes, in rounds: barriers with counts, at which some only arrive.
//   vote_block      Barriers that count and combine predicates order memory like any other.
//   ticket_lock     Draws a number and waits for it: one lane of each warp.
//   spin_lock       A lock that all lanes of all warps compete for.
//   broadcast_last  The last block adds up; one thread tells the others through shared memory that it is the last.
//   look_back       Decoupled look-back: sums of the preceding blocks, with flags that say what has been stored.
//   histogram       Atomics in shared memory, then flushed to global memory.
//   stencil         Tiles with a halo, and a last block that is partial.
//   transpose       Tiles of 8 x 8 with padding.
//   exited          Some lanes have ended, and the others wait at a barrier of the warp.
//   halves          Both halves of a warp at barriers of their own.
//   bytes_as_words  Neighbouring bytes by neighbouring threads, read as words.
//   by_four         Stored four at a time, read one at a time.
//   generic         A pointer to shared memory in some lanes and to global memory in others.
//   orders          Release and acquire without fences, and a chain of updates between them.
//   polled          Two threads store to a flag in turn; reading the second value does not undo what the first ordered.
//   drawn           All threads draw tickets, and the thread with the last one resets the counter.
//
// Launch: grids of 6 blocks of 64 threads. x holds 384 numbers; y 384 zeros and state 32 zeros.
// A line that is part of a race says so at its end, and a test compares these lines with what the emulator reports.
//
// builds: sm_70, sm_60, sm_70-debug

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define FULL 0xffffffff
// Instructions at the line that uses them, because debug builds have no lines for functions of the headers.
#define LOAD(to, from) asm volatile("ld.global.u32 %0, [%1];" : "=r"(to) : "l"(from) : "memory")
#define DRAW(to, from) asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(to) : "l"(from) : "memory")

__device__ int thread_in_grid() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ int sum_warp(int sum) {
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(FULL, sum, offset);
    }
    return sum;
}

extern "C" __global__ void sum_grid(const int* x, int* y, int* state) {
    __shared__ int sums[2];
    int sum = 0;
    for (int i = thread_in_grid(); i < 384; i += 128) sum += x[i];
    sum = sum_warp(sum);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&y[0], sums[0] + sums[1]);
}

extern "C" __global__ void sum_grid_wrong(const int* x, int* y, int* state) {
    __shared__ int sums[2];
    int sum = 0;
    for (int i = thread_in_grid(); i < 384; i += 128) sum += x[i];
    sum = sum_warp(sum);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;  // race
    if (threadIdx.x == 0) atomicAdd(&y[0], sums[0] + sums[1]);  // race
}

extern "C" __global__ void sum_by_tiles(const int* x, int* y, int* state) {
    __shared__ int values[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int* own = values + tile.meta_group_rank() * 8;
    own[tile.thread_rank()] = x[thread_in_grid()];
    for (int offset = 4; offset > 0; offset /= 2) {
        tile.sync();
        if (tile.thread_rank() < offset) own[tile.thread_rank()] += own[tile.thread_rank() + offset];
    }
    tile.sync();
    y[thread_in_grid()] = own[0];
}

extern "C" __global__ void sum_by_tiles_wrong(const int* x, int* y, int* state) {
    __shared__ int values[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int* own = values + tile.meta_group_rank() * 8;
    own[tile.thread_rank()] = x[thread_in_grid()];
    for (int offset = 4; offset > 0; offset /= 2) {
        tile.sync();
        if (tile.thread_rank() < offset) own[tile.thread_rank()] += own[tile.thread_rank() + offset];  // race
    }
    y[thread_in_grid()] = own[0];  // race
}

extern "C" __global__ void aggregate(const int* x, int* y, int* state) {
    if (x[thread_in_grid()] % 3 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        int first = 0;
        if (group.thread_rank() == 0) first = atomicAdd(&state[0], group.size());
        first = group.shfl(first, 0);
        y[first + group.thread_rank()] = 1;
    }
}

extern "C" __global__ void tile_double(const int* x, int* y, int* state) {
    __shared__ int tile[2][64];
    int sum = 0;
    for (int round = 0; round < 6; round++) {
        tile[round % 2][threadIdx.x] = x[round * 64 + threadIdx.x];
        __syncthreads();
        sum += tile[round % 2][63 - threadIdx.x];
    }
    y[thread_in_grid()] = sum;
}

extern "C" __global__ void tile_double_wrong(const int* x, int* y, int* state) {
    __shared__ int tile[2][64];
    int sum = 0;
    for (int round = 0; round < 6; round++) {
        tile[0][threadIdx.x] = x[round * 64 + threadIdx.x];  // race
        __syncthreads();
        sum += tile[0][63 - threadIdx.x];  // race
    }
    y[thread_in_grid()] = sum;
}

__device__ void arrive(int barrier) {
    asm volatile("bar.arrive %0, 64;" : : "r"(barrier) : "memory");
}

__device__ void wait(int barrier) {
    asm volatile("bar.sync %0, 64;" : : "r"(barrier) : "memory");
}

extern "C" __global__ void relay_named(const int* x, int* y, int* state) {
    __shared__ int buffer[32];
    int lane = threadIdx.x % 32;
    for (int round = 0; round < 4; round++) {
        if (threadIdx.x < 32) {
            if (round > 0) wait(2);
            buffer[lane] = x[round * 32 + lane];
            arrive(1);
        } else {
            wait(1);
            atomicAdd(&y[round * 32 + lane], buffer[31 - lane]);
            if (round < 3) arrive(2);
        }
    }
}

extern "C" __global__ void relay_named_wrong(const int* x, int* y, int* state) {
    __shared__ int buffer[32];
    int lane = threadIdx.x % 32;
    for (int round = 0; round < 4; round++) {
        if (threadIdx.x < 32) {
            buffer[lane] = x[round * 32 + lane];  // race
            wait(1);
        } else {
            wait(1);
            atomicAdd(&y[round * 32 + lane], buffer[31 - lane]);  // race
        }
    }
}

extern "C" __global__ void vote_block(const int* x, int* y, int* state) {
    __shared__ int seen[64];
    int value = x[thread_in_grid()];
    seen[threadIdx.x] = value;
    int count = __syncthreads_count(value % 2 == 0);
    int other = seen[63 - threadIdx.x];
    bool all = __syncthreads_and(value >= 0);
    seen[threadIdx.x] = other;
    bool any = __syncthreads_or(value == 7);
    y[thread_in_grid()] = seen[63 - threadIdx.x] + 1000 * count + (all ? 100000 : 0) + (any ? 200000 : 0);
}

extern "C" __global__ void ticket_lock(const int* x, int* y, int* state) {
    if (threadIdx.x % 32 == 0) {
        int ticket = atomicAdd(&state[0], 1);
        while (*(volatile int*)&state[1] != ticket) {}
        __threadfence();
        y[0] += 1;
        __threadfence();
        *(volatile int*)&state[1] = ticket + 1;
    }
}

extern "C" __global__ void ticket_lock_wrong(const int* x, int* y, int* state) {
    if (threadIdx.x % 32 == 0) {
        int ticket = atomicAdd(&state[0], 1);
        while (*(volatile int*)&state[1] != ticket) {}
        y[0] += 1;  // race
        __threadfence();
        *(volatile int*)&state[1] = ticket + 1;
    }
}

extern "C" __global__ void spin_lock(const int* x, int* y, int* state) {
    bool done = false;
    while (!done) {
        if (atomicCAS(&state[0], 0, 1) == 0) {
            __threadfence();
            y[0] += 1;
            __threadfence();
            atomicExch(&state[0], 0);
            done = true;
        }
    }
}

extern "C" __global__ void spin_lock_wrong(const int* x, int* y, int* state) {
    bool done = false;
    while (!done) {
        if (atomicCAS(&state[0], 0, 1) == 0) {
            __threadfence_block();
            y[0] += 1;  // race
            __threadfence_block();
            atomicExch(&state[0], 0);
            done = true;
        }
    }
}

extern "C" __global__ void broadcast_last(const int* x, int* y, int* state) {
    __shared__ bool is_last;
    int sum = sum_warp(x[thread_in_grid()]);
    if (threadIdx.x % 32 == 0) atomicAdd(&y[1 + blockIdx.x], sum);
    __syncthreads();
    if (threadIdx.x == 0) {
        y[10 + blockIdx.x] = y[1 + blockIdx.x];
        __threadfence();
        is_last = atomicAdd(&state[0], 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last && threadIdx.x < 32) {
        sum = sum_warp(threadIdx.x < gridDim.x ? y[10 + threadIdx.x] : 0);
        if (threadIdx.x == 0) y[0] = sum;
    }
}

extern "C" __global__ void broadcast_last_wrong(const int* x, int* y, int* state) {
    __shared__ bool is_last;
    int sum = sum_warp(x[thread_in_grid()]);
    if (threadIdx.x % 32 == 0) atomicAdd(&y[1 + blockIdx.x], sum);
    __syncthreads();
    if (threadIdx.x == 0) {
        y[10 + blockIdx.x] = y[1 + blockIdx.x];  // race
        __threadfence();
        is_last = atomicAdd(&state[0], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < 32) {
        sum = sum_warp(threadIdx.x < gridDim.x ? y[10 + threadIdx.x] : 0);  // race
        if (threadIdx.x == 0) y[0] = sum;
    }
}

// What a block publishes: state[block] is 1 when its own sum is in state[8 + block], and 2 when the sum of all blocks
// up to it is in state[16 + block].
extern "C" __global__ void look_back(const int* x, int* y, int* state) {
    __shared__ int sums[2], before;
    int sum = sum_warp(x[thread_in_grid()]);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        volatile int* flags = state;
        int own = sums[0] + sums[1];
        state[8 + blockIdx.x] = own;
        __threadfence();
        flags[blockIdx.x] = 1;
        before = 0;
        for (int block = (int)blockIdx.x - 1; block >= 0; block--) {
            int flag;
            while ((flag = flags[block]) == 0) {}
            __threadfence();
            before += flag == 2 ? state[16 + block] : state[8 + block];
            if (flag == 2) break;
        }
        state[16 + blockIdx.x] = before + own;
        __threadfence();
        flags[blockIdx.x] = 2;
    }
    __syncthreads();
    y[thread_in_grid()] = before;
}

extern "C" __global__ void look_back_wrong(const int* x, int* y, int* state) {
    __shared__ int sums[2], before;
    int sum = sum_warp(x[thread_in_grid()]);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        volatile int* flags = state;
        int own = sums[0] + sums[1];
        state[8 + blockIdx.x] = own;  // race
        __threadfence();
        flags[blockIdx.x] = 1;
        before = 0;
        for (int block = (int)blockIdx.x - 1; block >= 0; block--) {
            int flag;
            while ((flag = flags[block]) == 0) {}
            before += flag == 2 ? state[16 + block] : state[8 + block];  // race
            if (flag == 2) break;
        }
        state[16 + blockIdx.x] = before + own;  // race
        __threadfence();
        flags[blockIdx.x] = 2;
    }
    __syncthreads();
    y[thread_in_grid()] = before;
}

extern "C" __global__ void histogram(const int* x, int* y, int* state) {
    __shared__ int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[x[thread_in_grid()] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&y[threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void histogram_wrong(const int* x, int* y, int* state) {
    __shared__ int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    bins[x[thread_in_grid()] % 16] += 1;  // race
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&y[threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void stencil(const int* x, int* y, int* state) {
    __shared__ int tile[66];
    int i = thread_in_grid(), n = 350;
    tile[threadIdx.x + 1] = i < n ? x[i] : 0;
    if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
    if (threadIdx.x == 63) tile[65] = i + 1 < n ? x[i + 1] : 0;
    __syncthreads();
    if (i >= n) return;
    y[i] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}

extern "C" __global__ void stencil_wrong(const int* x, int* y, int* state) {
    __shared__ int tile[66];
    int i = thread_in_grid(), n = 350;
    tile[threadIdx.x + 1] = i < n ? x[i] : 0;  // race
    if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
    if (threadIdx.x == 63) tile[65] = i + 1 < n ? x[i + 1] : 0;
    __syncwarp();
    if (i >= n) return;
    y[i] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];  // race
}

extern "C" __global__ void transpose(const int* x, int* y, int* state) {
    __shared__ int tile[8][9];
    int row = threadIdx.x / 8, column = threadIdx.x % 8;
    tile[row][column] = x[thread_in_grid()];
    __syncthreads();
    y[thread_in_grid()] = tile[column][row];
}

extern "C" __global__ void transpose_wrong(const int* x, int* y, int* state) {
    __shared__ int tile[8][9];
    int row = threadIdx.x / 8, column = threadIdx.x % 8;
    tile[row][column] = x[thread_in_grid()];  // race
    __syncwarp();
    y[thread_in_grid()] = tile[column][row];  // race
}

extern "C" __global__ void exited(const int* x, int* y, int* state) {
    __shared__ int values[64];
    int lane = threadIdx.x % 32;
    if (lane >= 20) return;
    values[threadIdx.x] = x[thread_in_grid()];
    __syncwarp(0xfffff);
    y[thread_in_grid()] = values[threadIdx.x - lane + 19 - lane];
}

extern "C" __global__ void exited_wrong(const int* x, int* y, int* state) {
    __shared__ int values[64];
    int lane = threadIdx.x % 32;
    if (lane >= 20) return;
    values[threadIdx.x] = x[thread_in_grid()];  // race
    __syncwarp(1 << lane);
    y[thread_in_grid()] = values[threadIdx.x - lane + 19 - lane];  // race
}

extern "C" __global__ void halves(const int* x, int* y, int* state) {
    __shared__ int values[64];
    int lane = threadIdx.x % 32, half = lane & 16;
    values[threadIdx.x] = x[thread_in_grid()];
    __syncwarp(0xffff << half);
    y[thread_in_grid()] = values[threadIdx.x ^ 15];
}

extern "C" __global__ void halves_wrong(const int* x, int* y, int* state) {
    __shared__ int values[64];
    int lane = threadIdx.x % 32, half = lane & 16;
    values[threadIdx.x] = x[thread_in_grid()];  // race
    __syncwarp(0xffff << half);
    y[thread_in_grid()] = values[threadIdx.x ^ 31];  // race
}

extern "C" __global__ void bytes_as_words(const int* x, int* y, int* state) {
    __shared__ unsigned values[16];
    ((unsigned char*)values)[threadIdx.x] = x[thread_in_grid()];
    __syncthreads();
    y[thread_in_grid()] = values[15 - threadIdx.x / 4] >> 8 * (3 - threadIdx.x % 4) & 0xff;
}

extern "C" __global__ void bytes_as_words_wrong(const int* x, int* y, int* state) {
    __shared__ unsigned values[16];
    ((unsigned char*)values)[threadIdx.x] = x[thread_in_grid()];  // race
    __syncwarp();
    y[thread_in_grid()] = values[15 - threadIdx.x / 4] >> 8 * (3 - threadIdx.x % 4) & 0xff;  // race
}

extern "C" __global__ void by_four(const int* x, int* y, int* state) {
    __shared__ int4 values[16];
    if (threadIdx.x < 16) values[threadIdx.x] = ((const int4*)x)[blockIdx.x * 16 + threadIdx.x];
    __syncthreads();
    y[thread_in_grid()] = ((int*)values)[63 - threadIdx.x];
}

extern "C" __global__ void by_four_wrong(const int* x, int* y, int* state) {
    __shared__ int4 values[16];
    if (threadIdx.x < 16) values[threadIdx.x] = ((const int4*)x)[blockIdx.x * 16 + threadIdx.x];  // race
    __syncwarp();
    y[thread_in_grid()] = ((int*)values)[63 - threadIdx.x];  // race
}

extern "C" __global__ void generic(const int* x, int* y, int* state) {
    __shared__ int values[64];
    int* own = threadIdx.x % 3 == 0 ? &y[thread_in_grid()] : &values[threadIdx.x];
    *own = x[thread_in_grid()];
    __syncthreads();
    int there = 63 - threadIdx.x;
    int* other = there % 3 == 0 ? &y[blockIdx.x * 64 + there] : &values[there];
    int value = *other;
    __syncthreads();
    y[thread_in_grid()] = value;
}

extern "C" __global__ void generic_wrong(const int* x, int* y, int* state) {
    __shared__ int values[64];
    int* own = threadIdx.x % 3 == 0 ? &y[thread_in_grid()] : &values[threadIdx.x];
    *own = x[thread_in_grid()];
    __syncthreads();
    int there = 63 - threadIdx.x;
    int* other = there % 3 == 0 ? &y[blockIdx.x * 64 + there] : &values[there];
    int value = *other;  // race
    y[thread_in_grid()] = value;  // race
}


// Each warp adds one to the flag when it has stored its number, so the flag counts the warps that have.
__device__ int add_one(int* flag) {
#if __CUDA_ARCH__ >= 700
    int old;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(flag) : "memory");
    return old;
#else
    __threadfence();
    int old = atomicAdd(flag, 1);
    __threadfence();
    return old;
#endif
}

__device__ int add_one_relaxed(int* flag) {
#if __CUDA_ARCH__ >= 700
    int old;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(flag) : "memory");
    return old;
#else
    return atomicAdd(flag, 1);
#endif
}

extern "C" __global__ void orders(const int* x, int* y, int* state) {
    if (threadIdx.x % 32 != 0) return;
    y[1 + thread_in_grid() / 32] = x[thread_in_grid()];
    if (add_one(&state[0]) != 11) return;
    int sum = 0;
    for (int i = 1; i <= 12; i++) sum += y[i];
    y[0] = sum;
}

extern "C" __global__ void orders_wrong(const int* x, int* y, int* state) {
    if (threadIdx.x % 32 != 0) return;
    y[1 + thread_in_grid() / 32] = x[thread_in_grid()];  // race
    if (add_one_relaxed(&state[0]) != 11) return;
    int sum = 0;
    for (int i = 1; i <= 12; i++) sum += y[i];  // race
    y[0] = sum;
}

extern "C" __global__ void polled(const int* x, int* y, int* state) {
    volatile int* flag = state;
    int lane = threadIdx.x;
    if (lane >= 32) return;
    if (blockIdx.x == 0 && lane == 0) {
        flag[0] = 1;
    } else if (blockIdx.x == 1) {
        while (flag[0] == 0) {}
        __syncwarp();  // every lane has seen the 1 before one of them requests the 2
        if (lane == 0) flag[1] = 1;
        while (flag[0] != 2) {}
        LOAD(y[lane], state);
    } else if (blockIdx.x == 2 && lane == 0) {
        while (flag[1] != 1) {}
        flag[0] = 2;
    }
}

extern "C" __global__ void polled_wrong(const int* x, int* y, int* state) {
    volatile int* flag = state;
    int lane = threadIdx.x;
    if (lane >= 32) return;
    if (blockIdx.x == 0 && lane == 0) {
        flag[0] = 1;
    } else if (blockIdx.x == 1) {
        while (flag[0] == 0) {}
        if (lane == 0) flag[1] = 1;
        LOAD(y[lane], state);  // race
    } else if (blockIdx.x == 2 && lane == 0) {
        while (flag[1] != 1) {}
        flag[0] = 2;  // race
    }
}

extern "C" __global__ void drawn(const int* x, int* y, int* state) {
    int ticket;
    DRAW(ticket, state);
    if (ticket == 383) {
        LOAD(y[0], state);
        state[0] = 0;
    }
}

extern "C" __global__ void drawn_wrong(const int* x, int* y, int* state) {
    int ticket;
    DRAW(ticket, state);  // race
    if (ticket == 382) {
        y[0] = 384;
        state[0] = 0;  // race
    }
}
