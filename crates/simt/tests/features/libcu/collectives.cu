// Reductions and scans of cooperative groups, of tiles and of coalesced threads, and what one thread does for a group.
// builds: sm_70, sm_90

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// Eleven rows of results: of tiles, then of those threads of each warp whose value is not a multiple of three.
template <class T, int Size>
__device__ void arithmetic(const T* values, T* out) {
    int thread = threadIdx.x;
    T value = values[thread];
    auto row = [&](T result) {
        out[thread] = result;
        out += blockDim.x;
    };
    auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
    row(cg::reduce(tile, value, cg::plus<T>()));
    row(cg::reduce(tile, value, cg::less<T>()));
    row(cg::reduce(tile, value, cg::greater<T>()));
    row(cg::inclusive_scan(tile, value, cg::plus<T>()));
    row(cg::exclusive_scan(tile, value, cg::plus<T>()));
    row(cg::inclusive_scan(tile, value, cg::greater<T>()));
    if ((long long)value % 3 == 0) return;
    auto some = cg::coalesced_threads();
    row(cg::reduce(some, value, cg::plus<T>()));
    row(cg::reduce(some, value, cg::less<T>()));
    row(cg::inclusive_scan(some, value));
    row(cg::exclusive_scan(some, value));
    row(T(some.thread_rank()));
}

// Six rows of results.
template <class T>
__device__ void bitwise(const T* values, T* out) {
    int thread = threadIdx.x;
    T value = values[thread];
    auto row = [&](T result) {
        out[thread] = result;
        out += blockDim.x;
    };
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    row(cg::reduce(tile, value, cg::bit_and<T>()));
    row(cg::reduce(tile, value, cg::bit_or<T>()));
    row(cg::reduce(tile, value, cg::bit_xor<T>()));
    row(cg::inclusive_scan(tile, value, cg::bit_or<T>()));
    row(cg::exclusive_scan(tile, value, cg::bit_xor<T>()));
    if (value % 3 == 0) return;
    row(cg::reduce(cg::coalesced_threads(), value, cg::bit_xor<T>()));
}

#define ARITHMETIC(name, T, size) \
    extern "C" __global__ void name(const T* values, T* out) { arithmetic<T, size>(values, out); }
#define BITWISE(name, T) \
    extern "C" __global__ void name(const T* values, T* out) { bitwise<T>(values, out); }

ARITHMETIC(collect_int, int, 32)
ARITHMETIC(collect_int_of_4, int, 4)
ARITHMETIC(collect_unsigned, unsigned, 16)
ARITHMETIC(collect_long, long long, 32)
ARITHMETIC(collect_float, float, 8)
ARITHMETIC(collect_double, double, 32)
BITWISE(collect_bits, unsigned)
BITWISE(collect_long_bits, unsigned long long)

// One thread of each warp writes for all; one of each set of coalesced threads tells them its number.
extern "C" __global__ void collect_one(int* writers, int* leaders) {
    int thread = threadIdx.x;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::invoke_one(warp, [=] { atomicAdd(&writers[thread / 32], 1); });
    if (thread % 4 == 0) return;
    auto some = cg::coalesced_threads();
    leaders[thread] = cg::invoke_one_broadcast(some, [=] { return thread; });
}

// Who one is in the grid, and a barrier of the block in two halves.
extern "C" __global__ void collect_grid(unsigned* ranks, unsigned* out) {
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    __shared__ unsigned values[128];
    values[block.thread_rank()] = grid.thread_rank();
    auto token = block.barrier_arrive();
    ranks[grid.thread_rank()] = grid.size() + grid.block_rank();
    block.barrier_wait(cuda::std::move(token));
    out[grid.thread_rank()] = values[block.size() - 1 - block.thread_rank()];
}
