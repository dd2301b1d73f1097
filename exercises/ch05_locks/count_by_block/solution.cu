// How many of n numbers are greater than a limit? Every thread looks at some
// of them, and all count in one word of global memory.
//
// hits is zero before. Blocks have 128 threads.
extern "C" __global__ void count_by_block(const int* x, int* hits, int limit,
                                          int n) {
//= solution
    __shared__ int in_block;
    if (threadIdx.x == 0) in_block = 0;
    __syncthreads();
    int own = 0;
//= starter
//= wrong one_a_warp
//= wrong everybody_adds
//    __shared__ int in_block;
//    if (threadIdx.x == 0) in_block = 0;
//    __syncthreads();
//    int own = 0;
//= wrong not_zeroed
//    __shared__ int in_block;
//    int own = 0;
//= wrong one_a_thread
//    int own = 0;
//= end
    int threads = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += threads) {
//= solution
        if (x[i] > limit) own += 1;
//= starter
//        if (x[i] > limit) atomicAdd(hits, 1);
//= wrong one_a_warp
//        unsigned lanes = __ballot_sync(__activemask(), x[i] > limit);
//        if (threadIdx.x % 32 == 0) atomicAdd(hits, __popc(lanes));
//= wrong one_thread
//        for (int k = i; threadIdx.x == 0 && k < min(i + 128, n); ++k) {
//            if (x[k] > limit) own += 1;
//        }
//= end
    }
//= solution
    atomicAdd(&in_block, own);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(hits, in_block);
//= starter
//= wrong one_a_warp
//= wrong no_second_barrier
//    atomicAdd(&in_block, own);
//    if (threadIdx.x == 0) atomicAdd(hits, in_block);
//= wrong one_a_thread
//    atomicAdd(hits, own);
//= wrong everybody_adds
//    atomicAdd(&in_block, own);
//    __syncthreads();
//    atomicAdd(hits, in_block);
//= end
}
