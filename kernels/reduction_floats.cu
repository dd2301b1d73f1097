// Reduction of floats: the same sum in four orders, which round differently.
//
//   floats_one_by_one   One thread adds one element after the other: n - 1 roundings in a row.
//   floats_neighbored   The tree of reduce_neighbored (reduction.cu): every element goes through at most as many
//                       roundings as the tree has rounds.
//   floats_interleaved  The tree of reduce_interleaved: other pairs and other roundings, but the same depth.
//   floats_eight_parts  Each thread adds eight elements in a row, a block's width apart, before the tree begins.
//
// Launch: floats_one_by_one, one thread; floats_eight_parts, one thread for each 8 elements; the others, one for each
// element. One-dimensional, with a grid and blocks of any size.
// Preconditions: x has n elements, which all kernels but the first overwrite; sums has one for each block.
//
// builds: sm_70

// ANCHOR: floats_one_by_one
extern "C" __global__ void floats_one_by_one(const float* x, float* sums, unsigned n) {
    float sum = x[0];
    for (unsigned i = 1; i < n; i++) {
        sum += x[i];
    }
    sums[0] = sum;
}
// ANCHOR_END: floats_one_by_one

// ANCHOR: floats_neighbored
extern "C" __global__ void floats_neighbored(float* x, float* sums, unsigned n) {
    unsigned first = blockIdx.x * blockDim.x;
    unsigned length = min(blockDim.x, n - first);
    float* part = x + first;
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
// ANCHOR_END: floats_neighbored

// ANCHOR: add_halves
// Adds up the first `length` elements of a part by halves. All threads of the block call it together.
__device__ void add_halves(float* part, unsigned length) {
    unsigned i = threadIdx.x;
    for (unsigned half; length > 1; length = half) {
        half = (length + 1) / 2;
        if (i + half < length) {
            part[i] += part[i + half];
        }
        __syncthreads();
    }
}
// ANCHOR_END: add_halves

// ANCHOR: floats_interleaved
extern "C" __global__ void floats_interleaved(float* x, float* sums, unsigned n) {
    unsigned first = blockIdx.x * blockDim.x;
    float* part = x + first;
    add_halves(part, min(blockDim.x, n - first));
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: floats_interleaved

// ANCHOR: floats_eight_parts
extern "C" __global__ void floats_eight_parts(float* x, float* sums, unsigned n) {
    unsigned first = 8 * blockIdx.x * blockDim.x;
    unsigned length = min(blockDim.x, n - first);
    float* part = x + first;
    unsigned i = threadIdx.x;

    if (i < length) {
        float sum = part[i];
        for (unsigned k = i + blockDim.x; k < 8 * blockDim.x && first + k < n; k += blockDim.x) {
            sum += part[k];
        }
        part[i] = sum;
    }
    __syncthreads();

    add_halves(part, length);
    if (i == 0) {
        sums[blockIdx.x] = part[0];
    }
}
// ANCHOR_END: floats_eight_parts
