// Clusters as cooperative groups and libcu++ have them: a histogram over the shared memory of a cluster, a sum, numbers that go
// round a ring, and stores and copies to another block that its mbarrier is told of.
// builds: sm_90

#include <cooperative_groups.h>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int BINS = 64;

// Counts numbers in bins, of which each block of the cluster has a part in its shared memory.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_histogram(const int* x, int* bins, int count) {
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ int part[BINS / 4];
    for (int i = threadIdx.x; i < BINS / 4; i += blockDim.x) part[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int bin = x[i] % BINS;
        atomicAdd(cluster.map_shared_rank(&part[bin % (BINS / 4)], bin / (BINS / 4)), 1);
    }
    cluster.sync();
    int* own = bins + cluster.block_rank() * (BINS / 4);
    for (int i = threadIdx.x; i < BINS / 4; i += blockDim.x) atomicAdd(&own[i], part[i]);
}

// Each block adds up the sums of all blocks of its cluster.
extern "C" __global__ void cluster_sum(const int* x, int* sums) {
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ int own;
    if (threadIdx.x == 0) own = 0;
    __syncthreads();
    atomicAdd(&own, x[blockIdx.x * blockDim.x + threadIdx.x]);
    cluster.sync();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) sum += *cluster.map_shared_rank(&own, rank);
        sums[blockIdx.x] = sum;
    }
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(cuda::std::move(token));
}

// Where a thread is in its cluster.
extern "C" __global__ void __cluster_dims__(2, 2, 1) cluster_places(unsigned* places) {
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ int own;
    unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
    unsigned* to = places + 8 * (block * blockDim.x + threadIdx.x);
    dim3 index = cluster.block_index();
    int* there = cluster.map_shared_rank(&own, 3);
    to[0] = index.x;
    to[1] = index.y;
    to[2] = cluster.block_rank();
    to[3] = cluster.num_blocks();
    to[4] = cluster.thread_rank();
    to[5] = cluster.num_threads();
    to[6] = cluster.query_shared_rank(there);
    to[7] = ptx::getctarank(ptx::space_cluster, &own);
}

// Each thread stores its number in the next block of the ring; the mbarrier there counts the bytes.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_ring(int* z) {
    __shared__ alignas(16) int box[32];
    __shared__ uint64_t barrier;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof(box));
    }
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    int* there = cluster.map_shared_rank(&box[threadIdx.x], next);
    ptx::st_async(there, int(100 * blockIdx.x + threadIdx.x), cluster.map_shared_rank(&barrier, next));
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, 0)) {}
    z[blockIdx.x * blockDim.x + threadIdx.x] = box[threadIdx.x];
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

// Each block copies a tile from global memory, and its own tile to the other block; one mbarrier counts the bytes of both.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_copies(const int* x, int* z) {
    __shared__ alignas(128) int all[32];
    __shared__ alignas(128) int own[32];
    __shared__ alignas(128) int other[32];
    __shared__ uint64_t barrier;
    cg::cluster_group cluster = cg::this_cluster();
    own[threadIdx.x] = 1000 * blockIdx.x + threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, 2 * sizeof(all));
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        unsigned next = cluster.block_rank() ^ 1;
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(other, next), own, sizeof(own),
            cluster.map_shared_rank(&barrier, next));
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, all, x, sizeof(all), &barrier);
    }
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, 0)) {}
    z[blockIdx.x * blockDim.x + threadIdx.x] = all[threadIdx.x] + other[threadIdx.x];
    cluster.sync();
}
