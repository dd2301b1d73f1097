// The last five rounds of a block's sum, again and again, in kernels that do hardly anything else.
//
//   rounds_shared         In shared memory, with a barrier of the warp in each round, as in sum_shared of `block_sums.cu`.
//   rounds_shuffle_waits  By shuffle down, in registers, with a barrier of the warp in each round all the same.
//   rounds_shuffle        By shuffle down without these barriers, as in sum_shuffle.
//
// Every warp begins each sum in the same way, by storing its values to shared memory. Lane 0 takes the result into its
// next sum, so that a sum can only begin when the one before is done.
//
// Launch: any grid of blocks of whole warps. Preconditions: x and y hold an element for each thread.
//
// builds: sm_70

#define FULL 0xffffffff

__device__ float* values_of_warp() {
    __shared__ float part[1024];
    return part + threadIdx.x / 32 * 32;
}

// ANCHOR: rounds_shared
extern "C" __global__ void rounds_shared(const float* x, float* y, int sums) {
    float* part = values_of_warp();
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float value = x[i];
    while (sums-- > 0) {
        part[lane] = value;
        __syncwarp();
        for (int offset = 16; offset > 0; offset /= 2) {
            if (lane < offset) part[lane] += part[lane + offset];
            __syncwarp();
        }
        if (lane == 0) value = part[0];
    }
    y[i] = value;
}
// ANCHOR_END: rounds_shared

// ANCHOR: rounds_shuffle_waits
extern "C" __global__ void rounds_shuffle_waits(const float* x, float* y, int sums) {
    float* part = values_of_warp();
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float value = x[i];
    while (sums-- > 0) {
        part[lane] = value;
        __syncwarp();
        float sum = part[lane];
        for (int offset = 16; offset > 0; offset /= 2) {
            sum += __shfl_down_sync(FULL, sum, offset);
            __syncwarp();
        }
        if (lane == 0) value = sum;
    }
    y[i] = value;
}
// ANCHOR_END: rounds_shuffle_waits

// ANCHOR: rounds_shuffle
extern "C" __global__ void rounds_shuffle(const float* x, float* y, int sums) {
    float* part = values_of_warp();
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float value = x[i];
    while (sums-- > 0) {
        part[lane] = value;
        __syncwarp();
        float sum = part[lane];
        for (int offset = 16; offset > 0; offset /= 2) {
            sum += __shfl_down_sync(FULL, sum, offset);
        }
        if (lane == 0) value = sum;
    }
    y[i] = value;
}
// ANCHOR_END: rounds_shuffle
