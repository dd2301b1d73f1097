// Shifts a list so that its least number becomes 0, in one launch.
//
// Every block finds the least of its own numbers. Then all blocks have to wait
// for each other once, because each needs the least of all numbers.
//
// least:    a word for each block, in which an earlier launch left other numbers.
// arrived:  how many blocks have left their number, 0 before.
// expected: how many blocks to wait for. If the launch has fewer, they would wait
//           for ever. So a block that still misses some after it has looked
//           `patience` times gives up: it adds 1 to gave_up and leaves x as it is.
// Launch: blocks of 64 threads that cover n numbers, few enough to be resident
// together.

extern "C" __global__ void start_at_zero(int* x, int* least, int* arrived,
                                         int* gave_up, int expected,
                                         int patience, int n) {
    __shared__ int own, of_all, complete;
    if (threadIdx.x == 0) own = 0x7fffffff;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMin(&own, x[i]);
    __syncthreads();

    if (threadIdx.x == 0) {
        complete = false;
//= solution
        least[blockIdx.x] = own;
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile int*)arrived < expected && patience > 0) patience--;
        __threadfence();
        complete = patience > 0;
//= starter
//        // TODO: leave own in least, arrive, and wait for the other blocks.
//        // Set complete to whether all of them have arrived.
//= wrong no_fences
//        least[blockIdx.x] = own;
//        atomicAdd(arrived, 1);
//        while (*(volatile int*)arrived < expected && patience > 0) patience--;
//        complete = patience > 0;
//= wrong one_fence
//        least[blockIdx.x] = own;
//        __threadfence();
//        atomicAdd(arrived, 1);
//        while (*(volatile int*)arrived < expected && patience > 0) patience--;
//        complete = patience > 0;
//= wrong fences_of_the_block
//        least[blockIdx.x] = own;
//        __threadfence_block();
//        atomicAdd(arrived, 1);
//        while (*(volatile int*)arrived < expected && patience > 0) patience--;
//        __threadfence_block();
//        complete = patience > 0;
//= wrong arrives_first
//        atomicAdd(arrived, 1);
//        least[blockIdx.x] = own;
//        __threadfence();
//        while (*(volatile int*)arrived < expected && patience > 0) patience--;
//        __threadfence();
//        complete = patience > 0;
//= wrong plain_load
//        least[blockIdx.x] = own;
//        __threadfence();
//        atomicAdd(arrived, 1);
//        while (*arrived < expected && patience > 0) patience--;
//        __threadfence();
//        complete = patience > 0;
//= wrong counts_with_a_store
//        least[blockIdx.x] = own;
//        __threadfence();
//        *(volatile int*)arrived = *(volatile int*)arrived + 1;
//        while (*(volatile int*)arrived < expected && patience > 0) patience--;
//        __threadfence();
//        complete = patience > 0;
//= wrong does_not_wait
//        least[blockIdx.x] = own;
//        __threadfence();
//        complete = atomicAdd(arrived, 1) + 1 == expected;
//        __threadfence();
//= wrong waits_for_ever
//        least[blockIdx.x] = own;
//        __threadfence();
//        atomicAdd(arrived, 1);
//        while (*(volatile int*)arrived < expected) {}
//        __threadfence();
//        complete = true;
//= end

        of_all = 0x7fffffff;
        for (int block = 0; complete && block < gridDim.x; block++) {
            of_all = min(of_all, least[block]);
        }
        if (!complete) atomicAdd(gave_up, 1);
    }
    __syncthreads();
    if (complete && i < n) x[i] -= of_all;
}
