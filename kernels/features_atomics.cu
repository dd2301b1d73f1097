// Breadth, 4 of 6: atomic operations. All threads of the grid, number i of t, work on the same few cells. The grid is
// one-dimensional, and cells hold 0 before the launch unless another value is given.
//
//   atomics_int      z[0] += i; z[1] -= i; z[2] = min and z[3] = max with i (z[2] starts with a large value);
//                    z[4] &= ~(1 << i % 32) (starts with -1); z[5] |= 1 << i % 32; z[6] ^= i; z[7] counts up and starts
//                    again after 6; z[8] counts down and starts again at 6.
//   atomics_return   z[i] = a ticket, each number below t once; tickets holds the counter.
//   atomics_swap     Each thread puts i + 1 into cell[0] and adds what it took out to cell[1]: at the end the two add
//                    up to t * (t + 1) / 2.
//   atomics_cas      cell[0] += i + 1 by compare-and-swap, tried until no other thread was faster; cell[1] += 1.
//   atomics_wide     z[0] += i; z[1] -= i; z[2] = min and z[3] = max with i; z[4] &= ~i; z[5] |= i; with 64 bits and
//                    i times 2^32 in place of i. z[2] and z[4] start with all ones.
//   atomics_float    z[0] += i / 4 in single, w[0] += i / 4 in double precision: exact as long as t is small.
//   atomics_shared   z[b] = how many of the block's x[i] have x[i] % 8 == b, added up over all blocks; first in shared
//                    memory, then in global memory.
//   atomics_scope    z[0] += 1 for the block, z[1] += 1 for the device, z[2] += 1 for the system; launch one block.
//   atomics_ordered  The orders of the memory model, written in PTX: z[0] += 1 relaxed; thread 0 stores 7 to z[1] with
//                    release, loads it with acquire and stores it to z[2]; each thread exchanges i + 1 with z[3], and
//                    adds what it got back to z[4]: at the end z[3] + z[4] = t * (t + 1) / 2. (sm_70 and later)
//
// builds: sm_70, sm_60, sm_75, sm_70-debug

extern "C" __global__ void atomics_int(int* z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&z[0], i);
    atomicSub(&z[1], i);
    atomicMin(&z[2], i);
    atomicMax(&z[3], i);
    atomicAnd(&z[4], ~(1 << i % 32));
    atomicOr(&z[5], 1 << i % 32);
    atomicXor(&z[6], i);
    atomicInc((unsigned*)&z[7], 6);
    atomicDec((unsigned*)&z[8], 6);
}

extern "C" __global__ void atomics_return(int* z, int* tickets) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = atomicAdd(tickets, 1);
}

extern "C" __global__ void atomics_swap(int* cell) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&cell[1], atomicExch(&cell[0], i + 1));
}

extern "C" __global__ void atomics_cas(int* cell) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int seen = atomicCAS(&cell[0], 0, 0);  // reads without a race
    int expected;
    do {
        expected = seen;
        seen = atomicCAS(&cell[0], expected, expected + i + 1);
    } while (seen != expected);
    atomicAdd(&cell[1], 1);
}

extern "C" __global__ void atomics_wide(unsigned long long* z) {
    unsigned long long i = (unsigned long long)(blockIdx.x * blockDim.x + threadIdx.x) << 32;
    atomicAdd(&z[0], i);
    atomicAdd(&z[1], -i);
    atomicMin(&z[2], i);
    atomicMax(&z[3], i);
    atomicAnd(&z[4], ~i);
    atomicOr(&z[5], i);
}

extern "C" __global__ void atomics_float(float* z, double* w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(z, i / 4.0f);
    atomicAdd(w, i / 4.0);
}

extern "C" __global__ void atomics_shared(const unsigned* x, int* z) {
    __shared__ int bins[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 8) {
        bins[threadIdx.x] = 0;
    }
    __syncthreads();
    atomicAdd(&bins[x[i] % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8) {
        atomicAdd(&z[threadIdx.x], bins[threadIdx.x]);
    }
}

extern "C" __global__ void atomics_scope(int* z) {
    atomicAdd_block(&z[0], 1);
    atomicAdd(&z[1], 1);
    atomicAdd_system(&z[2], 1);
}

#if __CUDA_ARCH__ >= 700
extern "C" __global__ void atomics_ordered(int* z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int seen, before;
    asm volatile("red.relaxed.gpu.add.s32 [%0], 1;" ::"l"(&z[0]) : "memory");
    if (i == 0) {
        asm volatile("st.release.gpu.s32 [%0], %1;" ::"l"(&z[1]), "r"(7) : "memory");
        asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(seen) : "l"(&z[1]) : "memory");
        asm volatile("st.relaxed.sys.s32 [%0], %1;" ::"l"(&z[2]), "r"(seen) : "memory");
    }
    asm volatile("atom.acq_rel.gpu.exch.b32 %0, [%1], %2;" : "=r"(before) : "l"(&z[3]), "r"(i + 1) : "memory");
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    atomicAdd(&z[4], before);
}
#endif
