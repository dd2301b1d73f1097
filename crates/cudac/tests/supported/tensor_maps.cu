// `CUtensorMap` and `__grid_constant__`; from sm_90 on copies of boxes of tensors by `cuda::ptx` and `cuda::device::experimental`.
#include <cuda/barrier>
#include <cuda/ptx>
extern "C" __global__ void kernel(const __grid_constant__ CUtensorMap map, unsigned long* barrier) {
    __shared__ alignas(128) int tile[64];
#if __CUDA_ARCH__ >= 900
    int at[2] = {0, 0};
    cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, tile, &map, at, barrier);
    cuda::device::experimental::cp_async_bulk_tensor_2d_shared_to_global(&map, 0, 0, tile);
#endif
    barrier[threadIdx.x] = tile[threadIdx.x] + map.opaque[0];
}
