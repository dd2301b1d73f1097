// The scan of a whole array in one pass, as fast as we could make it.
//
//   scan_ahead  Decoupled look-back by resident blocks, each of which works at two tiles: it publishes the sum of the
//               second before it waits for the prefix of the first.
//
// The array is cut into tiles of 16,384 elements. A block draws a tile's number from a ticket, scans the tile in
// registers, and publishes the tile's sum. The prefix of the tile is the sum of all elements before it: the block looks
// back over the tiles before its own, 512 at a time, adds up their sums, and stops at the nearest tile whose prefix is
// known already. Each state is one word of 64 bits with both a number and what it means, so whoever sees the one sees the
// other, and no fence is needed.
//
// A block waits only for tiles with lower numbers, whose blocks have drawn their tickets earlier and therefore run. The
// lowest tile without a sum belongs to a block that waits for tiles below it, all of which have theirs, so it goes on:
// no number of resident blocks, not even one, makes this wait for ever.
//
// Launch: any one-dimensional grid of blocks of 512; one for each multiprocessor is enough.
// Preconditions: x and y are aligned to 16 bytes and may be the same array; states has a word for each tile, tickets two,
// and all are zero; the last block makes them zero again. patience is how often a thread asks for a state; if it does
// not suffice, y is wrong.
//
// builds: sm_70

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
constexpr int kVectors = 8;  // of four elements, for each thread
constexpr unsigned kTile = kThreads * kVectors * 4;
constexpr unsigned kAll = 0xffffffff;

// What a state's upper half says of its lower half; zero: nothing is known yet.
constexpr unsigned kSum = 1;
constexpr unsigned kPrefix = 2;

typedef unsigned long long State;

__device__ State load_relaxed(const State* state) {
    State value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(state) : "memory");
    return value;
}

__device__ void store_relaxed(State* state, unsigned meaning, int number) {
    State value = (State)meaning << 32 | (unsigned)number;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(state), "l"(value) : "memory");
}

__device__ unsigned meaning(State state) {
    return state >> 32;
}

__device__ int warp_sum(int value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kAll, value, offset);
    return value;
}

__device__ int warp_scan(int value, int lane) {
    for (int offset = 1; offset < 32; offset *= 2) {
        int before = __shfl_up_sync(kAll, value, offset);
        if (lane >= offset) value += before;
    }
    return value;
}

// Where a thread's first vector of a tile is; the others follow at distances of a warp's 128 elements. Places are
// unsigned, so that those after the last of 2^31 elements have numbers too.
__device__ unsigned first_element(unsigned tile) {
    return tile * kTile + threadIdx.x / 32 * (kVectors * 128) + threadIdx.x % 32 * 4;
}

__device__ void load_tile(int4 (&part)[kVectors], const int* x, unsigned tile, unsigned n) {
    unsigned at = first_element(tile);
    if ((tile + 1) * kTile <= n) {
#pragma unroll
        for (int k = 0; k < kVectors; k++) part[k] = *(const int4*)(x + at + 128 * k);
    } else {
#pragma unroll
        for (int k = 0; k < kVectors; k++, at += 128) {
            part[k].x = at < n ? x[at] : 0;
            part[k].y = at + 1 < n ? x[at + 1] : 0;
            part[k].z = at + 2 < n ? x[at + 2] : 0;
            part[k].w = at + 3 < n ? x[at + 3] : 0;
        }
    }
}

__device__ void store_tile(const int4 (&part)[kVectors], int* y, unsigned tile, unsigned n, int prefix) {
    unsigned at = first_element(tile);
    if ((tile + 1) * kTile <= n) {
#pragma unroll
        for (int k = 0; k < kVectors; k++) {
            int4 scanned = make_int4(part[k].x + prefix, part[k].y + prefix, part[k].z + prefix, part[k].w + prefix);
            *(int4*)(y + at + 128 * k) = scanned;
        }
    } else {
#pragma unroll
        for (int k = 0; k < kVectors; k++, at += 128) {
            if (at < n) y[at] = part[k].x + prefix;
            if (at + 1 < n) y[at + 1] = part[k].y + prefix;
            if (at + 2 < n) y[at + 2] = part[k].z + prefix;
            if (at + 3 < n) y[at + 3] = part[k].w + prefix;
        }
    }
}

// Scans what a warp has of a tile, and returns its sum.
__device__ int scan_part(int4 (&part)[kVectors], int lane) {
    int sum = 0;
#pragma unroll
    for (int k = 0; k < kVectors; k++) {
        part[k].y += part[k].x;
        part[k].z += part[k].y;
        part[k].w += part[k].z;
        int up_to_here = warp_scan(part[k].w, lane);
        int before = sum + up_to_here - part[k].w;
        sum += __shfl_sync(kAll, up_to_here, 31);
        part[k].x += before;
        part[k].y += before;
        part[k].z += before;
        part[k].w += before;
    }
    return sum;
}

struct LookBack {
    int sums[kWarps];         // of the states that a warp has looked at, down to the nearest prefix
    bool has_prefix[kWarps];  // whether a prefix was among them
};

// The sum of all elements before a tile. Each thread waits for one state; those beyond the nearest prefix are there
// already, because that prefix was made of them.
__device__ int look_back(LookBack& shared, const State* states, int tile, int& patience) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int prefix = 0;
    for (int nearest = tile - 1; nearest >= 0; nearest -= kThreads) {
        int at = nearest - (int)threadIdx.x;
        State state = (State)kPrefix << 32;  // before the first tile
        if (at >= 0) {
            do state = load_relaxed(states + at);
            while (meaning(state) == 0 && --patience > 0);
        }
        unsigned prefixes = __ballot_sync(kAll, meaning(state) == kPrefix);
        int last_lane = prefixes ? __ffs(prefixes) - 1 : 31;
        int sum = warp_sum(lane <= last_lane ? (int)state : 0);
        if (lane == 0) {
            shared.sums[warp] = sum;
            shared.has_prefix[warp] = prefixes != 0;
        }
        __syncthreads();
        unsigned warps = __ballot_sync(kAll, lane < kWarps && shared.has_prefix[lane]);
        int last_warp = warps ? __ffs(warps) - 1 : kWarps - 1;
        prefix += warp_sum(lane <= last_warp ? shared.sums[lane] : 0);
        if (warps) break;
        __syncthreads();
    }
    return prefix;
}

// ANCHOR: scan_ahead
extern "C" __global__ void __launch_bounds__(kThreads)
scan_ahead(const int* x, int* y, State* states, unsigned* tickets, int n, int patience) {
    // Two of what is written once a round: a warp may still read the one when another warp writes the other.
    __shared__ int warp_sums[2][kWarps];
    __shared__ unsigned drawn[2];
    __shared__ LookBack shared;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int tiles = (n + kTile - 1) / kTile;

    if (threadIdx.x == 0) drawn[1] = atomicAdd(&tickets[0], 1);
    __syncthreads();
    int tile = drawn[1], tile_before = -1;
    int sum_before = 0, offset_before = 0;
    int4 part[kVectors], part_before[kVectors];
    load_tile(part, x, tile, n);

    for (int round = 0;; round ^= 1) {
        // Whose latency the scan hides.
        unsigned ticket = 0;
        if (threadIdx.x == 0 && tile < tiles) ticket = atomicAdd(&tickets[0], 1);
        int warp_total = scan_part(part, lane);
        if (lane == 0) warp_sums[round][warp] = warp_total;
        if (threadIdx.x == 0) drawn[round] = ticket;
        __syncthreads();
        int next_tile = drawn[round];
        int up_to_warp = warp_scan(lane < kWarps ? warp_sums[round][lane] : 0, lane);
        int sum = __shfl_sync(kAll, up_to_warp, 31);
        int offset = __shfl_sync(kAll, up_to_warp, warp) - warp_total;
        if (threadIdx.x == 0 && tile < tiles) store_relaxed(states + tile, tile == 0 ? kPrefix : kSum, sum);

        if (tile_before >= 0) {
            int prefix = look_back(shared, states, tile_before, patience);
            if (threadIdx.x == 0) store_relaxed(states + tile_before, kPrefix, prefix + sum_before);
            store_tile(part_before, y, tile_before, n, prefix + offset_before);
        }
        if (tile >= tiles) break;

#pragma unroll
        for (int k = 0; k < kVectors; k++) part_before[k] = part[k];
        tile_before = tile, sum_before = sum, offset_before = offset;
        tile = next_tile;
        load_tile(part, x, tile, n);
    }

    // The last block leaves everything as it was at the beginning.
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        drawn[0] = atomicAdd(&tickets[1], 1);
        __threadfence();
    }
    __syncthreads();
    if (drawn[0] != gridDim.x - 1) return;
    for (int i = threadIdx.x; i < tiles; i += kThreads) states[i] = 0;
    if (threadIdx.x < 2) tickets[threadIdx.x] = 0;
}
// ANCHOR_END: scan_ahead
