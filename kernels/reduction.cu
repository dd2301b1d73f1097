// Reduction in place: each block adds up its part of an array in global memory, and the host adds up the block sums.
//
// In each round half of the remaining elements are added to the other half, so a block of 2^k threads takes k rounds.
// The kernels differ in which two elements form a pair, and in which thread adds it. Wrong ones follow a right one.
//
//   reduce_neighbored              Pairs of neighbours. Thread i adds to element i, in the rounds in which that element
//                                  receives a sum, so the working lanes are spread over all warps.
//   reduce_neighbored_unguarded    WRONG. Tests whether the thread's number in its block is less than n, the length of
//                                  the whole array, and adds partners without a test.
//   reduce_neighbored_less         The same pairs, but thread k adds the k-th pair, so the working lanes are side by
//                                  side and whole warps are idle. (Less divergence.)
//   reduce_less_unguarded          WRONG. Lets the thread at n pass, and adds partners without a test. Besides, thread
//                                  i no longer works on element i, but on element 2 * stride * i.
//   reduce_less_off_by_one         WRONG. Tests for the partner, but takes the one at n for the last of the array.
//   reduce_interleaved             Pairs that are half of the remaining length apart. The working lanes are side by
//                                  side, and so are their elements.
//   reduce_interleaved_unguarded   WRONG. Tests for the thread's own element and not for its partner, so it is right
//                                  only if every block is full and its size is a power of two.
//   reduce_interleaved_early       As reduce_interleaved, but threads without an element return before the barriers.
//                                  Later changes to the kernel can easily break it.
//   reduce_interleaved_skip        WRONG. Threads without an element skip the rounds and wait at a __syncthreads()
//                                  after them, while the other threads of the block wait at the one in the loop.
//   reduce_interleaved_no_barrier  WRONG. No thread waits for the sums of the round before.
//
// Launch: one thread for each element, one-dimensional, with a grid and blocks of any size.
// Preconditions: x has n elements, which are overwritten; sums has one for each block. No sum may overflow.
// The unguarded kernels need an n that is a multiple of the block size, and a block size that is a power of two.
//
// builds: sm_70

// ANCHOR: reduce_neighbored
extern "C" __global__ void reduce_neighbored(int* x, int* sums, unsigned n) {
    unsigned first = blockIdx.x * blockDim.x;
    unsigned length = min(blockDim.x, n - first);
    int* part = x + first;
    unsigned i = threadIdx.x;

    for (unsigned stride = 1; stride < length; stride *= 2) {
        if (i % (2 * stride) == 0 && i + stride < length) {
            part[i] += part[i + stride];
        }
        __syncthreads();
    }
    if (i == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: reduce_neighbored

// ANCHOR: reduce_neighbored_unguarded
extern "C" __global__ void reduce_neighbored_unguarded(int* x, int* sums, unsigned n) {
    int* part = x + blockIdx.x * blockDim.x;
    unsigned i = threadIdx.x;
    if (i >= n) return;  // wrong: i counts from the start of the block, but n is the length of the array

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (i % (2 * stride) == 0) {
            part[i] += part[i + stride];  // wrong: the partner may belong to another block, or not exist
        }
        __syncthreads();
    }
    if (i == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: reduce_neighbored_unguarded

// ANCHOR: reduce_neighbored_less
extern "C" __global__ void reduce_neighbored_less(int* x, int* sums, unsigned n) {
    unsigned first = blockIdx.x * blockDim.x;
    unsigned length = min(blockDim.x, n - first);
    int* part = x + first;

    for (unsigned stride = 1; stride < length; stride *= 2) {
        unsigned i = 2 * stride * threadIdx.x;
        if (i + stride < length) {
            part[i] += part[i + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: reduce_neighbored_less

// ANCHOR: reduce_less_unguarded
extern "C" __global__ void reduce_less_unguarded(int* x, int* sums, unsigned n) {
    unsigned first = blockIdx.x * blockDim.x;
    int* part = x + first;
    if (first + threadIdx.x > n) return;  // wrong: the thread at index n has no element either

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned i = 2 * stride * threadIdx.x;
        if (i < blockDim.x) {
            part[i] += part[i + stride];  // wrong: the partner may belong to another block, or not exist
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: reduce_less_unguarded

// ANCHOR: reduce_less_off_by_one
extern "C" __global__ void reduce_less_off_by_one(int* x, int* sums, unsigned n) {
    unsigned first = blockIdx.x * blockDim.x;
    int* part = x + first;

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned i = 2 * stride * threadIdx.x;
        bool is_outside = i + stride >= blockDim.x || first + i + stride > n;  // wrong: index n is outside, too
        if (!is_outside) {
            part[i] += part[i + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: reduce_less_off_by_one

// ANCHOR: reduce_interleaved
extern "C" __global__ void reduce_interleaved(int* x, int* sums, unsigned n) {
    unsigned first = blockIdx.x * blockDim.x;
    unsigned length = min(blockDim.x, n - first);
    int* part = x + first;
    unsigned i = threadIdx.x;

    // Rounded up, so that with an odd number of elements the one in the middle is left for the next round.
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
// ANCHOR_END: reduce_interleaved

// ANCHOR: reduce_interleaved_unguarded
extern "C" __global__ void reduce_interleaved_unguarded(int* x, int* sums, unsigned n) {
    unsigned first = blockIdx.x * blockDim.x;
    int* part = x + first;
    unsigned i = threadIdx.x;
    if (first + i >= n) return;

    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {  // wrong: an odd number of elements loses one
        if (i < half) {
            part[i] += part[i + half];  // wrong: the partner may be past the end of the array
        }
        __syncthreads();
    }
    if (i == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: reduce_interleaved_unguarded

// ANCHOR: reduce_interleaved_early
extern "C" __global__ void reduce_interleaved_early(int* x, int* sums, unsigned n) {
    unsigned first = blockIdx.x * blockDim.x;
    unsigned length = min(blockDim.x, n - first);
    int* part = x + first;
    unsigned i = threadIdx.x;
    if (i >= length) return;  // fragile: the barriers below are meant for all threads of the block

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
// ANCHOR_END: reduce_interleaved_early

// ANCHOR: reduce_interleaved_skip
extern "C" __global__ void reduce_interleaved_skip(int* x, int* sums, unsigned n) {
    unsigned first = blockIdx.x * blockDim.x;
    unsigned length = min(blockDim.x, n - first);
    int* part = x + first;
    unsigned i = threadIdx.x;

    if (i < length) {
        for (unsigned half; length > 1; length = half) {
            half = (length + 1) / 2;
            if (i + half < length) {
                part[i] += part[i + half];
            }
            __syncthreads();  // wrong: not all threads of the block reach this
        }
    }
    __syncthreads();
    if (i == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: reduce_interleaved_skip

// ANCHOR: reduce_interleaved_no_barrier
extern "C" __global__ void reduce_interleaved_no_barrier(int* x, int* sums, unsigned n) {
    unsigned first = blockIdx.x * blockDim.x;
    unsigned length = min(blockDim.x, n - first);
    int* part = x + first;
    unsigned i = threadIdx.x;

    for (unsigned half; length > 1; length = half) {
        half = (length + 1) / 2;
        if (i + half < length) {
            part[i] += part[i + half];  // race
        }
    }
    if (i == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: reduce_interleaved_no_barrier
