// `block_tile_memory`.
#include <cooperative_groups.h>
__global__ void k() { __shared__ cooperative_groups::block_tile_memory<256> memory; }
