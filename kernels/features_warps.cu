// Breadth, 5 of 6: what the lanes of a warp and the threads of a block do together. One block; FULL names all lanes.
//
//   shuffles          4 results for thread i, z[4 * i + k]: the values of lane 5, of the lane 3 below and of the lane 3
//                     above (its own if there is none), and of the lane whose number differs in bit 0.
//   shuffles_width_8  The same in segments of 8 lanes: lane 5 of the segment, 3 below, 3 above, bit 0.
//   shuffles_wide     z[i] = x[i] of the next lane (its own for lane 31), 64 bits; w[i] the same for a double.
//   votes             4 results: the mask of lanes with x[i] > 0, whether all are in it, whether any is, and the mask
//                     of active lanes in the `if` for x[i] > 0 (0 outside), which is the same if those run together.
//   votes_in_halves   z[i] = the mask of lanes with x[i] > 0 in the half of the warp to which the lane belongs.
//   matches           3 results: the mask of lanes with the same x[i]; the full mask if all lanes have it, or else 0;
//                     and whether all have. (sm_70 and later)
//   lane_numbers      6 results: the lane, the warp of a one-dimensional block, and the masks of the lanes below, up
//                     to, above and from its own.
//   sync_warp         z[i] = x[i] of the opposite lane (31 - lane), through shared memory; at most 256 threads.
//   sync_reductions   3 results: how many threads have x[i] > 0, whether all have, whether any has.
//   named_barriers    Two warps: the second fills shared memory and arrives at barrier 1, where the first waits and
//                     then copies: z[i] = 3 * i for i below 32. Launch 64 threads.
//   half_block        The first 64 threads of a block wait for each other at barrier 2, and the rest do not: z[i] = the
//                     number of the thread 63 - i for i below 64, -1 elsewhere. At least 64 threads.
//
// builds: sm_70, sm_60, sm_75, sm_70-debug

#define FULL 0xffffffff

extern "C" __global__ void shuffles(const int* x, int* z) {
    int i = threadIdx.x;
    z[4 * i] = __shfl_sync(FULL, x[i], 5);
    z[4 * i + 1] = __shfl_up_sync(FULL, x[i], 3);
    z[4 * i + 2] = __shfl_down_sync(FULL, x[i], 3);
    z[4 * i + 3] = __shfl_xor_sync(FULL, x[i], 1);
}

extern "C" __global__ void shuffles_width_8(const int* x, int* z) {
    int i = threadIdx.x;
    z[4 * i] = __shfl_sync(FULL, x[i], 5, 8);
    z[4 * i + 1] = __shfl_up_sync(FULL, x[i], 3, 8);
    z[4 * i + 2] = __shfl_down_sync(FULL, x[i], 3, 8);
    z[4 * i + 3] = __shfl_xor_sync(FULL, x[i], 1, 8);
}

extern "C" __global__ void shuffles_wide(const long long* x, long long* z, const double* y, double* w) {
    int i = threadIdx.x;
    z[i] = __shfl_down_sync(FULL, x[i], 1);
    w[i] = __shfl_down_sync(FULL, y[i], 1);
}

extern "C" __global__ void votes(const int* x, unsigned* z) {
    int i = threadIdx.x;
    bool positive = x[i] > 0;
    z[4 * i] = __ballot_sync(FULL, positive);
    z[4 * i + 1] = __all_sync(FULL, positive);
    z[4 * i + 2] = __any_sync(FULL, positive);
    z[4 * i + 3] = 0;
    if (positive) {
        z[4 * i + 3] = __activemask();
    }
}

extern "C" __global__ void votes_in_halves(const int* x, unsigned* z) {
    int i = threadIdx.x;
    if (i % 32 < 16) {
        z[i] = __ballot_sync(0x0000ffff, x[i] > 0);
    } else {
        z[i] = __ballot_sync(0xffff0000, x[i] > 0);
    }
}

#if __CUDA_ARCH__ >= 700
extern "C" __global__ void matches(const int* x, unsigned* z) {
    int i = threadIdx.x;
    int same;
    z[3 * i] = __match_any_sync(FULL, x[i]);
    z[3 * i + 1] = __match_all_sync(FULL, x[i], &same);
    z[3 * i + 2] = same;
}
#endif

extern "C" __global__ void lane_numbers(unsigned* z) {
    int i = threadIdx.x;
    unsigned lane, below, up_to, above, from;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(up_to));
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(above));
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(from));
    z[6 * i] = lane;
    z[6 * i + 1] = i / warpSize;
    z[6 * i + 2] = below;
    z[6 * i + 3] = up_to;
    z[6 * i + 4] = above;
    z[6 * i + 5] = from;
}

extern "C" __global__ void sync_warp(const int* x, int* z) {
    __shared__ int buffer[256];
    int i = threadIdx.x;
    buffer[i] = x[i];
    __syncwarp();
    z[i] = buffer[i ^ 31];
}

extern "C" __global__ void sync_reductions(const int* x, int* z) {
    int i = threadIdx.x;
    z[3 * i] = __syncthreads_count(x[i] > 0);
    z[3 * i + 1] = __syncthreads_and(x[i] > 0);
    z[3 * i + 2] = __syncthreads_or(x[i] > 0);
}

extern "C" __global__ void named_barriers(int* z) {
    __shared__ int buffer[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x >= 32) {
        buffer[lane] = 3 * lane;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        z[lane] = buffer[lane];
    }
}

extern "C" __global__ void half_block(int* z) {
    __shared__ int buffer[64];
    int i = threadIdx.x;
    z[i] = -1;
    if (i < 64) {
        buffer[i] = i;
        asm volatile("bar.sync 2, 64;" ::: "memory");
        z[i] = buffer[63 - i];
    }
}
