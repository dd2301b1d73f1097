// Reduction in place: each block adds up its part of an array in global memory, and the host adds the block sums.
//
// In each round half of the remaining elements are added to the other half, so a block of 2^k threads takes k rounds. The
// kernels differ in which two elements are a pair, and in which thread adds them. Every wrong one follows the right one.
//
//   reduce_neighbored              Pairs of neighbours: thread i adds to element i if its turn has come. The working
//                                  lanes are spread over all warps.
//   reduce_neighbored_unguarded    WRONG. Asks whether the thread's number in its block is less than n, which says
//                                  nothing about the data of any block but the first, and adds partners unasked.
//   reduce_neighbored_less         The same pairs, but thread k adds the k-th pair: the working lanes are side by side,
//                                  so whole warps fall idle. (Less divergence.)
//   reduce_less_unguarded          WRONG. Lets the thread at n pass, and adds partners unasked. Besides, the thread is no
//                                  longer the element: whether i is inside says nothing about element 2 * stride * i.
//   reduce_less_off_by_one         WRONG. Asks for the partner, and takes the one at n for the last of the array.
//   reduce_interleaved             Pairs at half of what is left: thread i adds the element half of the rest away. The
//                                  working lanes are side by side, and so are their elements.
//   reduce_interleaved_unguarded   WRONG. Asks for the thread's own element and not for its partner: right only where
//                                  every block is full, and the block a power of two.
//   reduce_interleaved_early       As reduce_interleaved, but threads without an element return before the barriers.
//                                  Right, because threads that have ended are not waited for; and fragile.
//   reduce_interleaved_skip        WRONG. Threads without an element skip the rounds and wait at the call behind them:
//                                  the same barrier, come to from another place, which CUDA does not allow.
//   reduce_interleaved_no_barrier  WRONG. Nobody waits for the sums of the round before.
//
// Launch: one thread for each element, one-dimensional grid and blocks of any size.
// Preconditions: x holds n elements, which are overwritten; sums holds one for each block. No sum may overflow.
// The unguarded kernels need a size that is a multiple of the block, and a block that is a power of two.
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
    if (i >= n) return;  // wrong: i counts from the start of the block, n from the start of the array

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (i % (2 * stride) == 0) {
            part[i] += part[i + stride];  // wrong: the partner may be another block's, or nobody's
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
    if (first + threadIdx.x > n) return;  // wrong: the thread at n has no element either

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned i = 2 * stride * threadIdx.x;
        if (i < blockDim.x) {
            part[i] += part[i + stride];  // wrong: the partner may be another block's, or nobody's
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
        bool is_outside = i + stride >= blockDim.x || first + i + stride > n;  // wrong: n itself is outside
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

    // Rounded up, so that of an odd number of elements the one in the middle is left for the next round.
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

    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {  // wrong: an odd number of elements loses its last one
        if (i < half) {
            part[i] += part[i + half];  // wrong: the partner may be past the end
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
    if (i >= length) return;  // fragile: the barriers below are for all threads of the block

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
            __syncthreads();  // wrong: not all threads of the block come here
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
