// Bulk copies as libcu++ has them: at a barrier that counts bytes, with bulk groups, as reductions, and in stages that a
// producer fills and consumers empty.
// builds: sm_90

#include <cuda/barrier>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WORDS = 128;

// Adds one to each word, in shared memory.
extern "C" __global__ void bulk_add_one(int* data) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(16) int tile[WORDS];
    __shared__ cuda::std::aligned_storage<sizeof(Barrier), alignof(Barrier)>::type bytes;
    auto& barrier = reinterpret_cast<Barrier&>(bytes);
    int* own = data + blockIdx.x * WORDS;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    Barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(tile, own, cuda::aligned_size_t<16>(sizeof(tile)), barrier);
        token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(tile));
    } else {
        token = barrier.arrive();
    }
    barrier.wait(cuda::std::move(token));
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) tile[i] += 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, own, tile, sizeof(tile));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

// All blocks add their words to the same ones.
extern "C" __global__ void bulk_sum(const int* data, int* sum) {
    __shared__ alignas(16) int tile[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) tile[i] = data[blockIdx.x * WORDS + i];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sum, tile, sizeof(tile));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

// One thread fills stages, and 128 others empty them.
extern "C" __global__ void bulk_stages(const int* in, int* out, int tiles) {
    constexpr int STAGES = 3;
    __shared__ alignas(128) int tile[STAGES][WORDS];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            ptx::mbarrier_init(&full[stage], 1);
            ptx::mbarrier_init(&empty[stage], WORDS);
        }
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (threadIdx.x == WORDS) {
        for (int number = 0; number < tiles; number++) {
            int stage = number % STAGES, round = number / STAGES;
            while (round > 0 && !ptx::mbarrier_try_wait_parity(&empty[stage], (round - 1) & 1)) {}
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[stage],
                                           sizeof(tile[0]));
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[stage], in + number * WORDS,
                               sizeof(tile[0]), &full[stage]);
        }
    } else if (threadIdx.x < WORDS) {
        for (int number = 0; number < tiles; number++) {
            int stage = number % STAGES, round = number / STAGES;
            while (!ptx::mbarrier_try_wait_parity(&full[stage], round & 1)) {}
            out[number * WORDS + threadIdx.x] = tile[stage][WORDS - 1 - threadIdx.x];
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &empty[stage]);
        }
    }
}
