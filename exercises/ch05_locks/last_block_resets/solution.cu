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

//= solution
    least[blockIdx.x] = own;
    __threadfence();
    unsigned ticket = atomicAdd(tickets, 1);
    if (ticket != gridDim.x - 1) return;

    __threadfence();
//= starter
//    least[blockIdx.x] = own;
//    __threadfence();
//    unsigned ticket = atomicAdd(tickets, 1);
//    if (ticket != gridDim.x - 1) return;
//
//= wrong no_fence
//    least[blockIdx.x] = own;
//    unsigned ticket = atomicAdd(tickets, 1);
//    if (ticket != gridDim.x - 1) return;
//
//= wrong second_fence_only
//    least[blockIdx.x] = own;
//    unsigned ticket = atomicAdd(tickets, 1);
//    if (ticket != gridDim.x - 1) return;
//
//    __threadfence();
//= wrong fences_of_the_block
//    least[blockIdx.x] = own;
//    __threadfence_block();
//    unsigned ticket = atomicAdd(tickets, 1);
//    if (ticket != gridDim.x - 1) return;
//
//    __threadfence_block();
//= wrong volatile_numbers
//    *(volatile int*)&least[blockIdx.x] = own;
//    unsigned ticket = atomicAdd(tickets, 1);
//    if (ticket != gridDim.x - 1) return;
//
//= wrong atomic_numbers
//    atomicExch(&least[blockIdx.x], own);
//    unsigned ticket = atomicAdd(tickets, 1);
//    if (ticket != gridDim.x - 1) return;
//
//= wrong one_too_far
//    least[blockIdx.x] = own;
//    __threadfence();
//    unsigned ticket = atomicAdd(tickets, 1);
//    if (ticket != gridDim.x) return;
//
//    __threadfence();
//= end
    int all = own;
    for (int block = 0; block < gridDim.x; block++) {
//= solution
        all = min(all, least[block]);
//= wrong volatile_numbers
//        all = min(all, *(volatile int*)&least[block]);
//= wrong atomic_numbers
//        all = min(all, atomicAdd(&least[block], 0));
//= end
    }
    result[0] = all;
//= solution
    *tickets = 0;
//= wrong not_reset
//= end
}
