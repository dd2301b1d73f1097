// Block 0 sends n parcels to block 1, over a belt with room for four.
//
// Parcel i is put at room[i % 4]. words[0] is the number of parcels that were put
// on the belt so far, and only block 0 stores it. words[1] is the number that
// were taken off, and only block 1 stores it. Both are zero before. Blocks have
// 32 threads, of which one works. A block that has looked `patience` times gives
// up.
#include <cuda/atomic>

using Counter = cuda::atomic_ref<int, cuda::thread_scope_device>;

extern "C" __global__ void belt(const int* x, int* room, int* words, int* y,
                                int n, int patience) {
    if (threadIdx.x != 0) return;
    Counter put(words[0]), taken(words[1]);
    cuda::memory_order acquire = cuda::memory_order_acquire;
    cuda::memory_order release = cuda::memory_order_release;

    for (int i = 0; i < n; i++) {
        if (blockIdx.x == 0) {
//= solution
            while (i - taken.load(acquire) >= 4) {
                if (--patience == 0) return;
            }
            room[i % 4] = x[i];
            put.store(i + 1, release);
//= starter
//            // TODO: wait until there is room, put x[i] on the belt, and say so.
//            (void)acquire, (void)release;
//= wrong one_too_many
//            while (i - taken.load(acquire) > 4) {
//                if (--patience == 0) return;
//            }
//            room[i % 4] = x[i];
//            put.store(i + 1, release);
//= wrong says_so_too_early
//            while (i - taken.load(acquire) >= 4) {
//                if (--patience == 0) return;
//            }
//            put.store(i + 1, release);
//            room[i % 4] = x[i];
//= wrong looks_relaxed
//            while (i - taken.load(cuda::memory_order_relaxed) >= 4) {
//                if (--patience == 0) return;
//            }
//            room[i % 4] = x[i];
//            put.store(i + 1, release);
//= wrong counts_relaxed
//            while (i - taken.load(acquire) >= 4) {
//                if (--patience == 0) return;
//            }
//            room[i % 4] = x[i];
//            put.store(i + 1, release);
//= wrong never_looks
//            room[i % 4] = x[i];
//            put.store(i + 1, release);
//= end
        } else {
//= solution
            while (put.load(acquire) <= i) {
                if (--patience == 0) return;
            }
            y[i] = room[i % 4];
            taken.store(i + 1, release);
//= starter
//            // TODO: wait for the parcel, take it off, and say so.
//= wrong counts_relaxed
//            while (put.load(acquire) <= i) {
//                if (--patience == 0) return;
//            }
//            y[i] = room[i % 4];
//            taken.store(i + 1, cuda::memory_order_relaxed);
//= end
        }
    }
}
