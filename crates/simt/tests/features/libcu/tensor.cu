// Tensor copies as libcu++ has them: boxes of a matrix at a barrier that counts bytes, and back with bulk groups, also as sums.
// builds: sm_90

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int COLUMNS = 16, ROWS = 8;

// What the driver makes.
struct alignas(64) TensorMap { unsigned long long words[16]; };

// Each block moves a box of one matrix to the same place of another, and adds one to each element.
extern "C" __global__ void tensor_add_one(const __grid_constant__ TensorMap in, const __grid_constant__ TensorMap out) {
    __shared__ alignas(128) int tile[ROWS][COLUMNS];
    __shared__ uint64_t full;
    int32_t at[2] = {(int32_t)blockIdx.x * COLUMNS, (int32_t)blockIdx.y * ROWS};
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof(tile));
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &in, at, &full);
    }
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
    for (int i = threadIdx.x; i < ROWS * COLUMNS; i += blockDim.x) tile[i / COLUMNS][i % COLUMNS] += 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

// All blocks add their rows to the same one.
extern "C" __global__ void tensor_sum(const __grid_constant__ TensorMap in, const __grid_constant__ TensorMap sum) {
    __shared__ alignas(128) int row[COLUMNS];
    __shared__ uint64_t full;
    int32_t at[1] = {(int32_t)blockIdx.x * COLUMNS}, first[1] = {0};
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof(row));
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, row, &in, at, &full);
        while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &sum, first, row);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
