// Instructions of newer GPUs for a whole warp, and what they replace: sums, and one lane that acts for the others.
//
//   sums_shuffles  The sum of a warp by five shuffles and additions, again and again.
//   sums_redux     The same by redux.sync, one instruction, from sm_80 on.
//   pick_ballot    Lanes whose value is above a level are counted; the lowest lane of their mask adds up.
//   pick_active    The same with the lanes that are active together, as __activemask reports them.
//   pick_elect     The same with the lane that elect.sync chooses from the mask, from sm_90 on.
//   pick_zero      The same with lane 0, which may not be among them.
//
// Launch: any grid of blocks of whole warps. Preconditions: x holds an element for each thread, and so does y; sums, one
// for each warp, are zero.
//
// builds: sm_90, sm_80, sm_70

constexpr unsigned FULL = 0xffffffff;

// ANCHOR: sums_shuffles
__device__ unsigned sum_of_warp(unsigned value) {
    for (int far = 16; far > 0; far /= 2) value += __shfl_xor_sync(FULL, value, far);
    return value;
}

extern "C" __global__ void sums_shuffles(const unsigned* x, unsigned* y, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = x[i];
    for (int round = 0; round < rounds; round++) {
        value = sum_of_warp(value) + threadIdx.x % 32;
    }
    y[i] = value;
}
// ANCHOR_END: sums_shuffles

#if __CUDA_ARCH__ >= 800
// ANCHOR: sums_redux
extern "C" __global__ void sums_redux(const unsigned* x, unsigned* y, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = x[i];
    for (int round = 0; round < rounds; round++) {
        value = __reduce_add_sync(FULL, value) + threadIdx.x % 32;
    }
    y[i] = value;
}
// ANCHOR_END: sums_redux
#endif

// ANCHOR: pick_ballot
extern "C" __global__ void pick_ballot(const int* x, int* sums, int levels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = x[i], lane = threadIdx.x % 32;
    for (int level = 0; level < levels; level++) {
        unsigned mask = __ballot_sync(FULL, value > level);
        if (value > level) {
            if (lane == __ffs(mask) - 1) atomicAdd(&sums[i / 32], __popc(mask));
        }
        __syncwarp();
    }
}
// ANCHOR_END: pick_ballot

// ANCHOR: pick_active
extern "C" __global__ void pick_active(const int* x, int* sums, int levels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = x[i], lane = threadIdx.x % 32;
    for (int level = 0; level < levels; level++) {
        if (value > level) {
            unsigned mask = __activemask();
            if (lane == __ffs(mask) - 1) atomicAdd(&sums[i / 32], __popc(mask));
        }
        __syncwarp();
    }
}
// ANCHOR_END: pick_active

#if __CUDA_ARCH__ >= 900
// ANCHOR: pick_elect
__device__ bool is_elected(unsigned mask) {
    unsigned lane, chosen;
    asm volatile(
        "{\n\t"
        ".reg .pred chosen;\n\t"
        "elect.sync %0|chosen, %2;\n\t"
        "selp.u32 %1, 1, 0, chosen;\n\t"
        "}"
        : "=r"(lane), "=r"(chosen)
        : "r"(mask));
    return chosen != 0;
}

extern "C" __global__ void pick_elect(const int* x, int* sums, int levels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = x[i];
    for (int level = 0; level < levels; level++) {
        unsigned mask = __ballot_sync(FULL, value > level);
        if (value > level) {
            if (is_elected(mask)) atomicAdd(&sums[i / 32], __popc(mask));
        }
        __syncwarp();
    }
}
// ANCHOR_END: pick_elect
#endif

// ANCHOR: pick_zero
extern "C" __global__ void pick_zero(const int* x, int* sums, int levels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = x[i], lane = threadIdx.x % 32;
    for (int level = 0; level < levels; level++) {
        unsigned mask = __ballot_sync(FULL, value > level);
        if (value > level) {
            if (lane == 0) atomicAdd(&sums[i / 32], __popc(mask));
        }
        __syncwarp();
    }
}
// ANCHOR_END: pick_zero
