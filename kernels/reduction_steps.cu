// Reduction, step by step: what is left of the work once the pairs are well chosen.
//
// All of them pair as reduce_interleaved does (reduction.cu), and each adds one idea to the one before it.
//
//   reduce_two_parts         Each thread adds two elements while it loads them: no thread idles in the first round, and
//                            half as many blocks do the rest.
//   reduce_eight_parts       Each thread adds eight, a block's width apart, so that a warp still loads neighbours.
//   reduce_shared            The sums of the threads meet in shared memory; global memory is read once, and kept.
//   reduce_shared_last_warp  The last rounds are one warp's, which needs no barrier of the block: they are unrolled, with
//                            a barrier of the warp between them.
//
// Launch: one thread for each 2 (reduce_two_parts) or 8 (the others) elements, so that a block takes care of 2 or 8 times
// its threads in elements; one-dimensional grid and blocks of any size.
// Preconditions: x holds n elements, which the first two overwrite; sums holds one for each block. No sum may overflow.
//
// builds: sm_70

// ANCHOR: reduce_two_parts
extern "C" __global__ void reduce_two_parts(int* x, int* sums, unsigned n) {
    unsigned first = 2 * blockIdx.x * blockDim.x;
    unsigned length = min(blockDim.x, n - first);
    int* part = x + first;
    unsigned i = threadIdx.x;

    if (first + i + blockDim.x < n) {
        part[i] += part[i + blockDim.x];
    }
    __syncthreads();

    for (unsigned half; length > 1; length = half) {
        half = (length + 1) / 2;
        if (i + half < length) {
            part[i] += part[i + half];
        }
        __syncthreads();
    }
    if (i == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: reduce_two_parts

// ANCHOR: add_eight
// The sum of up to eight elements, from the thread's own on, each a block's width behind the one before.
__device__ int add_eight(const int* x, unsigned n) {
    unsigned own = 8 * blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        unsigned i = own + k * blockDim.x;
        if (i < n) sum += x[i];
    }
    return sum;
}
// ANCHOR_END: add_eight

// ANCHOR: reduce_eight_parts
extern "C" __global__ void reduce_eight_parts(int* x, int* sums, unsigned n) {
    unsigned first = 8 * blockIdx.x * blockDim.x;
    unsigned length = min(blockDim.x, n - first);
    int* part = x + first;
    unsigned i = threadIdx.x;

    if (i < length) {
        part[i] = add_eight(x, n);
    }
    __syncthreads();

    for (unsigned half; length > 1; length = half) {
        half = (length + 1) / 2;
        if (i + half < length) {
            part[i] += part[i + half];
        }
        __syncthreads();
    }
    if (i == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: reduce_eight_parts

// ANCHOR: reduce_shared
extern "C" __global__ void reduce_shared(const int* x, int* sums, unsigned n) {
    __shared__ int part[1024];
    unsigned i = threadIdx.x;

    part[i] = add_eight(x, n);
    __syncthreads();

    for (unsigned length = blockDim.x, half; length > 1; length = half) {
        half = (length + 1) / 2;
        if (i + half < length) {
            part[i] += part[i + half];
        }
        __syncthreads();
    }
    if (i == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: reduce_shared

// ANCHOR: reduce_shared_last_warp
extern "C" __global__ void reduce_shared_last_warp(const int* x, int* sums, unsigned n) {
    __shared__ int part[1024];
    unsigned i = threadIdx.x;

    part[i] = add_eight(x, n);
    __syncthreads();

    unsigned length = blockDim.x;
    for (unsigned half; length > 32; length = half) {
        half = (length + 1) / 2;
        if (i + half < length) {
            part[i] += part[i + half];
        }
        __syncthreads();
    }
    if (i < 32) {
#pragma unroll
        for (unsigned half = 16; half > 0; half /= 2) {
            if (i < half && i + half < length) {
                part[i] += part[i + half];
            }
            __syncwarp();
        }
    }
    if (i == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: reduce_shared_last_warp
