// y[lane] is the sum of (i + 1) * x[32 * i + 31 - lane] over all tiles i. One block
// of 64 threads: thread 32 supplies warp 0, through two stages. Built for sm_90.

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

extern "C" __global__ void empty_crates_back(const int* x, int* y, int tiles) {
    __shared__ __align__(16) int stages[2][32];
    __shared__ Barrier full[2], empty[2];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 2) {
        init(full[lane], 1);
        init(empty[lane], 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();

    if (threadIdx.x == 32) {
        for (int i = 0; i < tiles; i++) {
            int s = i % 2, lap = i / 2;
//= solution
            wait(empty[s], lap % 2 ^ 1);
//= starter
//            (void)lap;
//= wrong wrong_parity
//            wait(empty[s], lap % 2);
//= end
            arrive_and_expect(full[s], sizeof(stages[s]));
            copy_in(stages[s], x + 32 * i, sizeof(stages[s]), full[s]);
        }
    }
    if (threadIdx.x < 32) {
        int sum = 0;
        for (int i = 0; i < tiles; i++) {
            int s = i % 2, lap = i / 2;
            wait(full[s], lap % 2);
//= solution
            sum += (i + 1) * stages[s][31 - lane];
            __syncwarp();
            if (lane == 0) arrive(empty[s]);
//= starter
//            sum += (i + 1) * stages[s][31 - lane];
//= wrong arrives_before_it_reads
//            if (lane == 0) arrive(empty[s]);
//            sum += (i + 1) * stages[s][31 - lane];
//= wrong every_lane_arrives
//            sum += (i + 1) * stages[s][31 - lane];
//            __syncwarp();
//            arrive(empty[s]);
//= end
        }
        y[threadIdx.x] = sum;
    }
}
