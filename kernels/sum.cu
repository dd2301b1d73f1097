// The finished sum: as fast as memory allows, in one launch.
//
//   sum_narrow               Every thread adds elements that are a grid apart, with one 4-byte load after another.
//   sum_wide                 The same with 16 bytes for each load, so that there are fewer instructions.
//   sum_last_block           Four such loads in flight before the first value is needed, so that a thread does not wait
//                            for them one at a time; and a hint that no element is needed twice.
//   sum_last_block_no_fence  The same without the fences around the ticket: the last block may add sums that the other
//                            blocks have not made visible yet.
//
// All end in the same way: shuffles within each warp, one round through shared memory between the warps, one sum for
// each block in `sums`, and a ticket. The block that draws the last ticket knows that all sums are there, and adds them
// up. The counter of the tickets returns to 0 by itself, so that the next launch finds it as this one did.
//
// Launch: one-dimensional, blocks of a multiple of 32 threads. As many blocks as run at once are enough (528 of 512
// threads on an H200, four to a multiprocessor), because each block continues with its next tile.
// Preconditions: x holds n floats and begins at a multiple of 16 bytes; sums has a float for each block; tickets is
// zero; total holds one float. n plus 4 times the threads of the grid is below 2^31.
// A line that takes part in a race says so at its end, and a test compares this with what the emulator reports.
//
// builds: sm_70

#define FULL 0xffffffff

// ANCHOR: sum_block
__device__ float sum_warp(float sum) {
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(FULL, sum, offset);
    }
    return sum;
}

// The sum of a block, which its first thread gets. `part` has a float for each warp that a block can have.
__device__ float sum_block(float sum, float* part) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    sum = sum_warp(sum);
    if (lane == 0) part[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = sum_warp(lane < blockDim.x / 32 ? part[lane] : 0);
    }
    return sum;
}
// ANCHOR_END: sum_block

// ANCHOR: sum_grid_fenced
// The sum of the grid, added up by the block that finishes last.
__device__ void sum_grid_fenced(float sum, float* sums, unsigned* tickets, float* total) {
    __shared__ float part[32];
    __shared__ bool is_last;
    sum = sum_block(sum, part);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last) return;

    sum = 0;
    for (int block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
        sum += sums[block];
    }
    sum = sum_block(sum, part);
    if (threadIdx.x == 0) *total = sum;
}
// ANCHOR_END: sum_grid_fenced

__device__ float add_up(float4 four) {
    return (four.x + four.y) + (four.z + four.w);
}

// The elements after the last whole group of four: the first threads of the grid have one each.
__device__ float rest(const float* __restrict__ x, int n) {
    int i = n / 4 * 4 + blockIdx.x * blockDim.x + threadIdx.x;
    return i < n ? x[i] : 0;
}

// ANCHOR: sum_narrow
extern "C" __global__ void sum_narrow(const float* __restrict__ x, float* sums, unsigned* tickets,
                                      float* total, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i];
    }
    sum_grid_fenced(sum, sums, tickets, total);
}
// ANCHOR_END: sum_narrow

// ANCHOR: sum_wide
extern "C" __global__ void sum_wide(const float* __restrict__ x, float* sums, unsigned* tickets,
                                    float* total, int n) {
    const float4* __restrict__ fours = reinterpret_cast<const float4*>(x);
    float sum = rest(x, n);
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        sum += add_up(fours[i]);
    }
    sum_grid_fenced(sum, sums, tickets, total);
}
// ANCHOR_END: sum_wide

// Each element is needed only once, so it may be the first to be evicted from the cache.
__device__ float4 load_once(const float4* from) {
    float4 four;
    asm("ld.global.nc.L1::evict_first.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
        : "l"(__cvta_generic_to_global(from)));
    return four;
}

// ANCHOR: sum_own
// The sum of a thread's own elements. A tile has four groups for each thread of a block, a block apart, so that each of
// the four loads of a warp covers 512 contiguous bytes. There are four sums, so that no addition waits for another.
__device__ float sum_own(const float* __restrict__ x, int n) {
    const float4* __restrict__ fours = reinterpret_cast<const float4*>(x);
    int groups = n / 4, apart = blockDim.x;
    float a = rest(x, n), b = 0, c = 0, d = 0;
    int i = blockIdx.x * 4 * apart + threadIdx.x;
    for (; i + 3 * apart < groups; i += gridDim.x * 4 * apart) {
        float4 first = load_once(&fours[i]), second = load_once(&fours[i + apart]);
        float4 third = load_once(&fours[i + 2 * apart]), fourth = load_once(&fours[i + 3 * apart]);
        a += add_up(first);
        b += add_up(second);
        c += add_up(third);
        d += add_up(fourth);
    }
    // The last tile may be incomplete.
    for (; i < groups; i += apart) {
        a += add_up(load_once(&fours[i]));
    }
    return (a + b) + (c + d);
}
// ANCHOR_END: sum_own

// ANCHOR: sum_last_block
extern "C" __global__ void sum_last_block(const float* __restrict__ x, float* sums, unsigned* tickets,
                                          float* total, int n) {
    sum_grid_fenced(sum_own(x, n), sums, tickets, total);
}
// ANCHOR_END: sum_last_block

// ANCHOR: sum_last_block_no_fence
extern "C" __global__ void sum_last_block_no_fence(const float* __restrict__ x, float* sums, unsigned* tickets,
                                                   float* total, int n) {
    __shared__ float part[32];
    __shared__ bool is_last;
    float sum = sum_block(sum_own(x, n), part);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;  // race
        is_last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;

    sum = 0;
    for (int block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
        sum += sums[block];  // race
    }
    sum = sum_block(sum, part);
    if (threadIdx.x == 0) *total = sum;
}
// ANCHOR_END: sum_last_block_no_fence
