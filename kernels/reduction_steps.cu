// Reduction, step by step: what else can be saved once the pairs are well chosen.
//
// All kernels pair as reduce_interleaved does (reduction.cu), and each adds one idea to the kernel before it.
//
//   reduce_two_parts         Each thread adds two elements while it loads them, so that no thread is idle in the first
//                            round, and only half as many blocks go through the others.
//   reduce_eight_parts       Each thread adds eight, a block's width apart, so that a warp still loads neighbours.
//   reduce_shared            The partial sums are in shared memory. Global memory is only read, and the input survives.
//   reduce_shared_last_warp  In the last rounds only one warp has work, so it needs no barrier of the block: these
//                            rounds are unrolled, with a barrier of the warp between them.
//
// Launch: one thread for every 2 (reduce_two_parts) or 8 (the others) elements, so a block handles 2 or 8 times as many
// elements as it has threads. One-dimensional, with a grid and blocks of any size.
// Preconditions: x has n elements, which the first two overwrite; sums has one for each block. No sum may overflow.
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
// The sum of up to eight elements: the thread's own, and then each a block's width after the one before.
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
