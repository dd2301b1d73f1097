// What else libcu++ has for waiting: `wait` and `notify` of atomics, semaphores and latches.
// builds: sm_70, sm_90

#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>

// Warps take their turns, each waiting for the number of its own.
extern "C" __global__ void waiting_turns(int* order) {
    __shared__ int turn, place;
    if (threadIdx.x == 0) turn = place = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_block> now(turn);
        int warp = threadIdx.x / 32, count = blockDim.x / 32;
        // The last warp comes first.
        for (int seen = now.load(); seen != count - 1 - warp; seen = now.load()) now.wait(seen);
        order[place] = warp;
        place += 1;
        now.fetch_add(1);
        now.notify_all();
    }
}

// At most one thread is between `acquire` and `release`.
extern "C" __global__ void waiting_semaphore(int* count) {
    __shared__ cuda::std::aligned_storage<sizeof(cuda::binary_semaphore<cuda::thread_scope_block>), 8>::type bytes;
    auto& semaphore = reinterpret_cast<cuda::binary_semaphore<cuda::thread_scope_block>&>(bytes);
    if (threadIdx.x == 0) new (&semaphore) cuda::binary_semaphore<cuda::thread_scope_block>(1);
    __syncthreads();
    semaphore.acquire();
    *count += 1;
    semaphore.release();
}

// One warp waits for all others.
extern "C" __global__ void waiting_latch(int* values, int* sum) {
    __shared__ cuda::std::aligned_storage<sizeof(cuda::latch<cuda::thread_scope_block>), 8>::type bytes;
    auto& latch = reinterpret_cast<cuda::latch<cuda::thread_scope_block>&>(bytes);
    if (threadIdx.x == 0) new (&latch) cuda::latch<cuda::thread_scope_block>(blockDim.x - 32);
    __syncthreads();
    if (threadIdx.x >= 32) {
        values[threadIdx.x] = threadIdx.x;
        latch.count_down();
    } else {
        latch.wait();
        int own = 0;
        for (int other = 32 + threadIdx.x; other < blockDim.x; other += 32) own += values[other];
        sum[threadIdx.x] = own;
    }
}
