// The least of n numbers. Every block leaves the least of its own numbers and
// draws a ticket; the block that draws the last one finds the least of all.
// Afterwards the tickets begin at zero again, for the next launch.
//
// least has a word for each block, in which an earlier launch left a very small
// number; tickets is zero before. Blocks have 64 threads, and as many as cover
// n numbers are launched.
extern "C" __global__ void last_block_resets(const int* x, int* least,
                                             unsigned* tickets, int* result,
                                             int n) {
    __shared__ int own;
    __shared__ bool last;
    if (threadIdx.x == 0) own = 0x7fffffff;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMin(&own, x[i]);
    __syncthreads();

    if (threadIdx.x == 0) {
//= solution
        least[blockIdx.x] = own;
//= wrong volatile_numbers
//        *(volatile int*)&least[blockIdx.x] = own;
//= end
//= solution
        __threadfence();
        unsigned ticket = atomicAdd(tickets, 1);
        last = ticket == gridDim.x - 1;
        __threadfence();
//= starter
//        __threadfence();
//        unsigned ticket = atomicAdd(tickets, 1);
//        last = ticket == gridDim.x - 1;
//= wrong no_fence
//        unsigned ticket = atomicAdd(tickets, 1);
//        last = ticket == gridDim.x - 1;
//= wrong volatile_numbers
//        unsigned ticket = atomicAdd(tickets, 1);
//        last = ticket == gridDim.x - 1;
//= wrong second_fence_only
//        unsigned ticket = atomicAdd(tickets, 1);
//        last = ticket == gridDim.x - 1;
//        __threadfence();
//= wrong one_too_far
//        __threadfence();
//        unsigned ticket = atomicAdd(tickets, 1);
//        last = ticket == gridDim.x;
//        __threadfence();
//= end
        own = 0x7fffffff;
    }
    __syncthreads();
    if (!last) return;

    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
//= solution
        atomicMin(&own, least[b]);
//= wrong volatile_numbers
//        atomicMin(&own, *(volatile int*)&least[b]);
//= end
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        result[0] = own;
//= solution
        *tickets = 0;
//= starter
//        *tickets = 0;
//= wrong not_reset
//= end
    }
}
