// Asynchronous copies as libcu++ and cooperative groups have them: with a group's wait, with pipelines of a thread and of a
// block, and at a barrier.
// builds: sm_80, sm_90

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

constexpr int THREADS = 64;

// Each block reverses its part, which the whole group copies.
extern "C" __global__ void copies_group(const int* in, int* out) {
    __shared__ alignas(16) int tile[THREADS];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + blockIdx.x * THREADS, sizeof(tile));
    cg::wait(block);
    out[blockIdx.x * THREADS + threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

// Two tiles are under way at a time; who needs the older one leaves the newer one alone.
extern "C" __global__ void copies_group_prior(const int* in, int* out, int tiles) {
    __shared__ alignas(16) int tile[2][THREADS];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile[0], in, cuda::aligned_size_t<16>(sizeof(tile[0])));
    for (int number = 0; number < tiles; number++) {
        if (number + 1 < tiles) {
            auto* next = in + (number + 1) * THREADS;
            cg::memcpy_async(block, tile[(number + 1) % 2], next, cuda::aligned_size_t<16>(sizeof(tile[0])));
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        out[number * THREADS + threadIdx.x] = tile[number % 2][THREADS - 1 - threadIdx.x];
        block.sync();
    }
}

// Every thread has a pipeline of its own, and reads only what it has copied itself.
extern "C" __global__ void copies_thread_pipeline(const int* in, int* out, int rounds) {
    __shared__ int tile[4][THREADS];
    auto pipeline = cuda::make_pipeline();
    int count = rounds * THREADS, started = threadIdx.x;
    for (int i = threadIdx.x; i < count; i += THREADS) {
        for (; started < count && started < i + 3 * THREADS; started += THREADS) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&tile[started / THREADS % 4][threadIdx.x], in + started,
                               cuda::aligned_size_t<4>(4), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        out[i] = 3 * tile[i / THREADS % 4][threadIdx.x];
        pipeline.consumer_release();
    }
}

// The block has one pipeline of three stages, and all threads are producers and consumers.
extern "C" __global__ void copies_block_pipeline(const int* in, int* out, int tiles) {
    __shared__ alignas(16) int tile[3][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int number = 0, started = 0; number < tiles; number++) {
        for (; started < tiles && started < number + 3; started++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tile[started % 3], in + started * THREADS,
                               cuda::aligned_size_t<16>(sizeof(tile[0])), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        out[number * THREADS + threadIdx.x] = tile[number % 3][THREADS - 1 - threadIdx.x];
        pipeline.consumer_release();
    }
}

// The first warp only copies, and the others only compute.
extern "C" __global__ void copies_roles(const int* in, int* out, int tiles) {
    constexpr int COPIERS = 32, WORKERS = 64;
    __shared__ alignas(16) int tile[2][WORKERS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    bool copies = threadIdx.x < COPIERS;
    auto role = copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipeline = cuda::make_pipeline(block, &state, role);
    int worker = threadIdx.x - COPIERS;
    for (int number = 0; number < tiles; number++) {
        if (copies) {
            pipeline.producer_acquire();
            for (int i = threadIdx.x; i < WORKERS; i += COPIERS) {
                cuda::memcpy_async(&tile[number % 2][i], in + number * WORKERS + i, cuda::aligned_size_t<4>(4),
                                   pipeline);
            }
            pipeline.producer_commit();
        } else {
            pipeline.consumer_wait();
            out[number * WORKERS + worker] = tile[number % 2][WORKERS - 1 - worker];
            pipeline.consumer_release();
        }
    }
}

// Copies that a barrier waits for.
extern "C" __global__ void copies_barrier(const int* in, int* out) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(16) int tile[THREADS];
    __shared__ cuda::std::aligned_storage<sizeof(Barrier), alignof(Barrier)>::type bytes;
    auto& barrier = reinterpret_cast<Barrier&>(bytes);
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&barrier, THREADS);
    block.sync();
    cuda::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(sizeof(tile)), barrier);
    barrier.arrive_and_wait();
    out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}
