// The least of n numbers. Every block leaves the least of its own numbers and
// draws a ticket. The block with the last ticket finds the least of all, and
// afterwards the tickets begin at zero again, for the next launch.
//
// least has a word for each block, in which an earlier launch left a very small
// number; tickets is zero before. Blocks have 64 threads, and the grid has as
// many blocks as cover n numbers.
extern "C" __global__ void last_block_resets(const int* x, int* least,
                                             unsigned* tickets, int* result,
                                             int n) {
    __shared__ int own;
    if (threadIdx.x == 0) own = 0x7fffffff;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMin(&own, x[i]);
    __syncthreads();
    if (threadIdx.x != 0) return;

    least[blockIdx.x] = own;
    __threadfence();
    unsigned ticket = atomicAdd(tickets, 1);
    if (ticket != gridDim.x - 1) return;

    int all = own;
    for (int block = 0; block < gridDim.x; block++) {
        all = min(all, least[block]);
    }
    result[0] = all;
    *tickets = 0;
}
