// Asynchronous copies: `cuda::memcpy_async` with barriers and pipelines, `cooperative_groups::memcpy_async`, `__pipeline_memcpy_async`.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
__global__ void with_barrier(const int* from, int* to) {
    __shared__ int tile[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> filled;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&filled, block.size());
    block.sync();
    cuda::memcpy_async(block, tile, from, sizeof(tile), filled);
    filled.arrive_and_wait();
    to[block.thread_rank()] = tile[63 - block.thread_rank()];
}
__global__ void with_pipelines(const float4* from, float4* to) {
    __shared__ float4 tile[64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto of_block = cuda::make_pipeline(block, &state);
    auto of_thread = cuda::make_pipeline();
    of_block.producer_acquire();
    cuda::memcpy_async(block, tile, from, cuda::aligned_size_t<16>(sizeof(tile)), of_block);
    of_block.producer_commit();
    of_block.consumer_wait();
    of_block.consumer_release();
    cuda::memcpy_async(&tile[threadIdx.x], from + threadIdx.x, sizeof(float4), of_thread);
    of_thread.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(of_thread);
    to[threadIdx.x] = tile[threadIdx.x];
}
__global__ void without_types(const int* from, int* to) {
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    cg::memcpy_async(cg::this_thread_block(), tile, from, sizeof(tile));
    cg::wait(cg::this_thread_block());
    to[threadIdx.x] = tile[threadIdx.x];
}
