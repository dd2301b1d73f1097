// The scan of a whole array: by passes over memory, by three launches, and by one launch that looks back.
//
//   scan_pass                   A round of Hillis and Steele in global memory; log2(n) launches make a scan.
//   scan_tiles                  Each block scans a tile and leaves the tile's sum in `sums`.
//   scan_sums                   One block scans these sums, in place.
//   add_sums                    Each block adds the sum of all tiles before its own: with the two above, a scan.
//   sum_tiles                   Only the sum of each tile.
//   scan_tiles_from             Each block scans a tile from the sum of all tiles before it: with sum_tiles and scan_sums, a
//                               scan that writes y once.
//   copy_tiles                  No scan: reads x and writes y, which every scan has to do.
//   scan_look_back              One launch. A block publishes the sum of its tile, and adds up what the tiles before it have
//                               published. Flag and value are one word, and an atomic ticket decides who has which tile.
//   scan_look_back_volatile     The same with a volatile word.
//   scan_look_back_warp         The same, and a warp looks at 32 tiles at once.
//   scan_look_back_block_idx    Without tickets: block b has tile b, and hopes that the blocks before it have started.
//   scan_look_back_last_first   Without tickets, and the last tile goes to the first block.
//   scan_look_back_two_words    Flag and value in two words, without fences.
//   scan_look_back_two_volatile The same with volatile values.
//   scan_look_back_one_fence    A fence between the value and the flag, and none between the flag and the value at the reader.
//   scan_look_back_fences       Both fences.
//
// Launch: blocks of a multiple of 32 threads; a tile has four elements for each thread of a block. scan_pass has a thread for
// each element, scan_sums is one block, and the others have a block for each tile. Preconditions: x and y hold n elements
// and begin at multiples of 16 bytes; sums has one int for each tile; states has one word for each tile; flags has one int
// for each tile and values two; states, flags, tickets and gave_up are zero. `patience` is how often a block may find a tile
// before it not ready; a block that gives up counts itself in gave_up, writes nothing and publishes no more. With a patience
// of 0 it waits for ever, which only an emulator should be asked for.
// A line that takes part in a race says so at its end.
//
// builds: sm_70

#include <cuda/atomic>

#define FULL 0xffffffff

__device__ int scan_of_warp(int sum) {
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(FULL, sum, d);
        if (lane >= d) sum += left;
    }
    return sum;
}

// The scan of a block, as in scan_block of `scan.cu`. It leaves the sum of the block in `sums[31]`, and begins with a barrier,
// so that it can be called again.
__device__ int scan_of_block(int sum, int* sums) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    sum = scan_of_warp(sum);
    __syncthreads();
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    if (warp == 0) sums[lane] = scan_of_warp(lane < blockDim.x / 32 ? sums[lane] : 0);
    __syncthreads();
    return warp > 0 ? sum + sums[warp - 1] : sum;
}

// ANCHOR: four
// Four elements from i on; those from n on are 0.
__device__ int4 load_four(const int* x, int i, int n) {
    if (i + 4 <= n) return *reinterpret_cast<const int4*>(x + i);
    return make_int4(i < n ? x[i] : 0, i + 1 < n ? x[i + 1] : 0, i + 2 < n ? x[i + 2] : 0, 0);
}

// Stores the scan of four elements, which follow a sum of `before`.
__device__ void store_scan(int* y, int i, int n, int4 four, int before) {
    int a = before + four.x, b = a + four.y, c = b + four.z, d = c + four.w;
    if (i + 4 <= n) {
        *reinterpret_cast<int4*>(y + i) = make_int4(a, b, c, d);
        return;
    }
    if (i < n) y[i] = a;
    if (i + 1 < n) y[i + 1] = b;
    if (i + 2 < n) y[i + 2] = c;
}

__device__ int sum_of(int4 four) {
    return (four.x + four.y) + (four.z + four.w);
}
// ANCHOR_END: four

// ANCHOR: scan_pass
extern "C" __global__ void scan_pass(const int* __restrict__ x, int* __restrict__ y, int d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = i >= d ? x[i] + x[i - d] : x[i];
}
// ANCHOR_END: scan_pass

// ANCHOR: scan_tiles
extern "C" __global__ void scan_tiles(const int* x, int* y, int* sums, int n) {
    __shared__ int shared[32];
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int4 four = load_four(x, i, n);
    int sum = scan_of_block(sum_of(four), shared);
    store_scan(y, i, n, four, sum - sum_of(four));
    if (threadIdx.x == 0) sums[blockIdx.x] = shared[31];
}
// ANCHOR_END: scan_tiles

// ANCHOR: scan_sums
extern "C" __global__ void scan_sums(int* sums, int count) {
    __shared__ int shared[32];
    int before = 0;
    for (int first = 0; first < count; first += blockDim.x) {
        int i = first + threadIdx.x;
        int sum = scan_of_block(i < count ? sums[i] : 0, shared);
        if (i < count) sums[i] = before + sum;
        before += shared[31];
    }
}
// ANCHOR_END: scan_sums

// ANCHOR: add_sums
extern "C" __global__ void add_sums(int* y, const int* sums, int n) {
    if (blockIdx.x == 0) return;
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int before = sums[blockIdx.x - 1];
    if (i + 4 <= n) {
        int4* fours = reinterpret_cast<int4*>(y + i);
        int4 four = *fours;
        *fours = make_int4(before + four.x, before + four.y, before + four.z, before + four.w);
    } else {
        for (; i < n; i++) y[i] += before;
    }
}
// ANCHOR_END: add_sums

// ANCHOR: sum_tiles
extern "C" __global__ void sum_tiles(const int* x, int* sums, int n) {
    __shared__ int shared[32];
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    scan_of_block(sum_of(load_four(x, i, n)), shared);
    if (threadIdx.x == 0) sums[blockIdx.x] = shared[31];
}
// ANCHOR_END: sum_tiles

// ANCHOR: scan_tiles_from
extern "C" __global__ void scan_tiles_from(const int* x, int* y, const int* sums, int n) {
    __shared__ int shared[32];
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int4 four = load_four(x, i, n);
    int before = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
    int sum = scan_of_block(sum_of(four), shared);
    store_scan(y, i, n, four, before + sum - sum_of(four));
}
// ANCHOR_END: scan_tiles_from

// ANCHOR: copy_tiles
extern "C" __global__ void copy_tiles(const int* x, int* y, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 4 <= n) {
        *reinterpret_cast<int4*>(y + i) = *reinterpret_cast<const int4*>(x + i);
    } else {
        for (; i < n; i++) y[i] = x[i];
    }
}
// ANCHOR_END: copy_tiles

// ANCHOR: one_word
// What a tile has published: nothing yet, the sum of its elements, or the sum of all elements up to its last one.
enum What { NOTHING, SUM, PREFIX };

typedef unsigned long long State;

// Flag and value in one word: whoever reads the flag has the value that belongs to it.
struct OneWord {
    State* states;

    __device__ cuda::atomic_ref<State, cuda::thread_scope_device> word(int tile) {
        return cuda::atomic_ref<State, cuda::thread_scope_device>(states[tile]);
    }
    __device__ void publish(int tile, What what, int value) {
        word(tile).store(State(what) << 32 | unsigned(value), cuda::std::memory_order_relaxed);
    }
    __device__ What look(int tile, int* value) {
        State state = word(tile).load(cuda::std::memory_order_relaxed);
        *value = int(state);
        return What(state >> 32);
    }
};
// ANCHOR_END: one_word

// ANCHOR: one_word_volatile
struct OneVolatile {
    volatile State* states;

    __device__ void publish(int tile, What what, int value) {
        states[tile] = State(what) << 32 | unsigned(value);
    }
    __device__ What look(int tile, int* value) {
        State state = states[tile];
        *value = int(state);
        return What(state >> 32);
    }
};
// ANCHOR_END: one_word_volatile

// ANCHOR: two_words
// A word for the flag, and one for each of the two values. `Values` is `int*` or `volatile int*`.
template <class Values, bool WRITER_HAS_FENCE, bool READER_HAS_FENCE>
struct TwoWords {
    volatile int* flags;
    Values values;

    __device__ void publish(int tile, What what, int value) {
        values[2 * tile + what - 1] = value;
        if (WRITER_HAS_FENCE) __threadfence();
        flags[tile] = what;
    }
    __device__ What look(int tile, int* value) {
        What what = What(flags[tile]);
        if (READER_HAS_FENCE) __threadfence();
        *value = what == NOTHING ? 0 : values[2 * tile + what - 1];
        return what;
    }
};
// ANCHOR_END: two_words

// ANCHOR: look_back
// Adds up what the tiles before this one have published, from the last one back to the first prefix.
template <class Board>
__device__ bool look_back(Board board, int tile, int* before, int patience) {
    *before = 0;
    for (int other = tile - 1; other >= 0;) {
        int value;
        What what = board.look(other, &value);
        if (what == NOTHING) {
            if (patience > 0 && --patience == 0) return false;
            continue;
        }
        *before += value;
        if (what == PREFIX) break;
        other--;
    }
    return true;
}
// ANCHOR_END: look_back

// ANCHOR: scan_tile
template <class Board>
__device__ void scan_tile(Board board, int tile, const int* x, int* y, int* gave_up, int n, int patience) {
    __shared__ int sums[32], before;
    __shared__ bool is_known;
    int i = 4 * (tile * blockDim.x + threadIdx.x);
    int4 four = load_four(x, i, n);
    int sum = scan_of_block(sum_of(four), sums);
    if (threadIdx.x == 0) {
        if (tile > 0) board.publish(tile, SUM, sums[31]);
        int found;
        is_known = look_back(board, tile, &found, patience);
        before = found;
        if (is_known) board.publish(tile, PREFIX, found + sums[31]);
        else atomicAdd(gave_up, 1);
    }
    __syncthreads();
    if (is_known) store_scan(y, i, n, four, before + sum - sum_of(four));
}
// ANCHOR_END: scan_tile

// ANCHOR: draw
// The next tile, for all threads of a block: drawn in the order in which blocks ask, which is after they have started.
__device__ int draw(unsigned* tickets) {
    __shared__ int tile;
    if (threadIdx.x == 0) tile = atomicAdd(tickets, 1);
    __syncthreads();
    return tile;
}
// ANCHOR_END: draw

// ANCHOR: scan_look_back
extern "C" __global__ void scan_look_back(const int* x, int* y, State* states, unsigned* tickets, int* gave_up,
                                          int n, int patience) {
    scan_tile(OneWord{states}, draw(tickets), x, y, gave_up, n, patience);
}
// ANCHOR_END: scan_look_back

// ANCHOR: scan_look_back_volatile
extern "C" __global__ void scan_look_back_volatile(const int* x, int* y, State* states, unsigned* tickets,
                                                   int* gave_up, int n, int patience) {
    scan_tile(OneVolatile{states}, draw(tickets), x, y, gave_up, n, patience);
}
// ANCHOR_END: scan_look_back_volatile

// ANCHOR: scan_look_back_block_idx
extern "C" __global__ void scan_look_back_block_idx(const int* x, int* y, State* states, unsigned* tickets,
                                                    int* gave_up, int n, int patience) {
    scan_tile(OneWord{states}, blockIdx.x, x, y, gave_up, n, patience);
}
// ANCHOR_END: scan_look_back_block_idx

// ANCHOR: scan_look_back_last_first
extern "C" __global__ void scan_look_back_last_first(const int* x, int* y, State* states, unsigned* tickets,
                                                     int* gave_up, int n, int patience) {
    scan_tile(OneWord{states}, gridDim.x - 1 - blockIdx.x, x, y, gave_up, n, patience);
}
// ANCHOR_END: scan_look_back_last_first

// ANCHOR: scan_look_back_two_words
extern "C" __global__ void scan_look_back_two_words(const int* x, int* y, int* flags, int* values,
                                                    unsigned* tickets, int* gave_up, int n, int patience) {
    TwoWords<int*, false, false> board{flags, values};
    scan_tile(board, draw(tickets), x, y, gave_up, n, patience);  // race
}
// ANCHOR_END: scan_look_back_two_words

// ANCHOR: scan_look_back_two_volatile
extern "C" __global__ void scan_look_back_two_volatile(const int* x, int* y, int* flags, int* values,
                                                       unsigned* tickets, int* gave_up, int n, int patience) {
    TwoWords<volatile int*, false, false> board{flags, values};
    scan_tile(board, draw(tickets), x, y, gave_up, n, patience);
}
// ANCHOR_END: scan_look_back_two_volatile

// ANCHOR: scan_look_back_one_fence
extern "C" __global__ void scan_look_back_one_fence(const int* x, int* y, int* flags, int* values,
                                                    unsigned* tickets, int* gave_up, int n, int patience) {
    TwoWords<int*, true, false> board{flags, values};
    scan_tile(board, draw(tickets), x, y, gave_up, n, patience);  // race
}
// ANCHOR_END: scan_look_back_one_fence

// ANCHOR: scan_look_back_fences
extern "C" __global__ void scan_look_back_fences(const int* x, int* y, int* flags, int* values, unsigned* tickets,
                                                 int* gave_up, int n, int patience) {
    TwoWords<int*, true, true> board{flags, values};
    scan_tile(board, draw(tickets), x, y, gave_up, n, patience);
}
// ANCHOR_END: scan_look_back_fences

// ANCHOR: look_back_warp
// The same by a warp: lane k looks at the tile k before the last one that is not added yet. Before the first tile there is
// nothing, which is a prefix of 0.
__device__ bool look_back_warp(OneWord board, int tile, int* before, int patience) {
    int lane = threadIdx.x % 32;
    *before = 0;
    for (int last = tile - 1; last >= 0;) {
        int value = 0;
        What what = last - lane >= 0 ? board.look(last - lane, &value) : PREFIX;
        unsigned prefixes = __ballot_sync(FULL, what == PREFIX);
        unsigned needed = prefixes == 0 ? FULL : prefixes ^ (prefixes - 1);
        if (__ballot_sync(FULL, what == NOTHING) & needed) {
            if (patience > 0 && --patience == 0) return false;
            continue;
        }
        int sum = needed >> lane & 1 ? value : 0;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(FULL, sum, d);
        *before += sum;
        if (prefixes != 0) break;
        last -= 32;
    }
    return true;
}
// ANCHOR_END: look_back_warp

// ANCHOR: scan_look_back_warp
extern "C" __global__ void scan_look_back_warp(const int* x, int* y, State* states, unsigned* tickets, int* gave_up,
                                               int n, int patience) {
    __shared__ int sums[32], before;
    __shared__ bool is_known;
    OneWord board{states};
    int tile = draw(tickets);
    int i = 4 * (tile * blockDim.x + threadIdx.x);
    int4 four = load_four(x, i, n);
    int sum = scan_of_block(sum_of(four), sums);
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0 && tile > 0) board.publish(tile, SUM, sums[31]);
        int found;
        bool is_found = look_back_warp(board, tile, &found, patience);
        if (threadIdx.x == 0) {
            before = found;
            is_known = is_found;
            if (is_found) board.publish(tile, PREFIX, found + sums[31]);
            else atomicAdd(gave_up, 1);
        }
    }
    __syncthreads();
    if (is_known) store_scan(y, i, n, four, before + sum - sum_of(four));
}
// ANCHOR_END: scan_look_back_warp
