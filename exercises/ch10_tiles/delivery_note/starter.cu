// y[lane] is the sum of a column of A, which has 32 columns and at most 8 rows.
// One block of two warps: warp 1 orders the rows, and warp 0 adds. Built for sm_90.

__device__ unsigned shared_address(const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

typedef unsigned long long Barrier;

__device__ void init(Barrier& barrier, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;"
                 :: "r"(shared_address(&barrier)), "r"(arrivals) : "memory");
}

__device__ void arrive(Barrier& barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(shared_address(&barrier)) : "memory");
}

// Arrives, and announces the bytes that copies are going to bring in this phase.
__device__ void arrive_and_expect(Barrier& barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :: "r"(shared_address(&barrier)), "r"(bytes) : "memory");
}

// Waits until the phase of this parity is over.
__device__ void wait(Barrier& barrier, int parity) {
    unsigned is_over;
    do {
        asm volatile("{ .reg .pred over; mbarrier.try_wait.parity.shared.b64 over, [%1], %2;"
                     " selp.u32 %0, 1, 0, over; }"
                     : "=r"(is_over) : "r"(shared_address(&barrier)), "r"(parity) : "memory");
    } while (!is_over);
}

// The bytes count at the barrier when they have arrived.
__device__ void copy_in(int* to, const int* from, int bytes, Barrier& full) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1], %2, [%3];"
                 :: "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(&full))
                 : "memory");
}

extern "C" __global__ void delivery_note(const int* a, int* y, int rows) {
    __shared__ __align__(16) int tile[8][32 + 4];
    __shared__ Barrier full;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        init(full, 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();

    if (threadIdx.x == 32) {
        arrive_and_expect(full, rows * sizeof(tile[0]));
        for (int row = 0; row < rows; row++) {
            copy_in(tile[row], a + 32 * row, 32 * sizeof(int), full);
        }
    }
    if (threadIdx.x < 32) {
        wait(full, 0);
        int sum = 0;
        for (int row = 0; row < rows; row++) sum += tile[row][lane];
        y[threadIdx.x] = sum;
    }
}
