// Three warps. In each of them some of the lanes wait for each other.
//
// Launch: one block of 96 threads. `out` holds 96 zeros.

extern "C" __global__ void three_masks(int* out) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    if (warp == 0) {
        if (lane % 4 == 1) __syncwarp(0x22222222);   // (A)
    } else if (warp == 1) {
        if (lane >= 24) __syncwarp(0xfff00000);      // (B)
    } else {
        if (lane >= 20) __syncwarp(0xffe00000);      // (C)
    }
    out[threadIdx.x] = 1;                            // (D)
}
