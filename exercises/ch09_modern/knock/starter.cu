// A guest book: every block writes its number into a record of three words,
// under a lock.
//
// record[0] counts the entries, record[1] is the sum of their numbers, and
// record[2] the sum of both. lock and record are zero before. Blocks have 32
// threads, of which one works. A block that has asked `patience` times gives up.
#include <cuda/atomic>

using Lock = cuda::atomic_ref<int, cuda::thread_scope_device>;

// Takes the lock, or gives up.
__device__ bool take(Lock lock, int patience) {
    cuda::memory_order relaxed = cuda::memory_order_relaxed;
    cuda::memory_order acquire = cuda::memory_order_acquire;
    (void)relaxed;
    while (--patience > 0) {
        int open = 0;
        if (lock.compare_exchange_strong(open, 1, acquire)) return true;
    }
    return false;
}

extern "C" __global__ void knock(const int* x, int* word, int* record,
                                 int patience) {
    if (threadIdx.x != 0) return;
    Lock lock(*word);
    if (!take(lock, patience)) return;
    record[0] += 1;
    record[1] += x[blockIdx.x];
    int sum = record[0] + record[1];
    record[2] = sum;
    lock.store(0, cuda::memory_order_release);
}
