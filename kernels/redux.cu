// Reductions over a warp in one instruction, which GPUs have since sm_80.
//
//   redux_all     Every lane gets six results over its warp: the sum, minimum and maximum of the signed values, and the
//                 and, or and xor of their bits. z[6 * i + k] is result k of thread i.
//   redux_halves  The even lanes add up their values, and so do the odd lanes.
//
// Launch: one block, a multiple of 32 threads, one for each element.
//
// builds: sm_80

extern "C" __global__ void redux_all(const int* x, int* z) {
    int i = threadIdx.x;
    int value = x[i];
    unsigned bits = value;
    z[6 * i] = __reduce_add_sync(0xffffffff, value);
    z[6 * i + 1] = __reduce_min_sync(0xffffffff, value);
    z[6 * i + 2] = __reduce_max_sync(0xffffffff, value);
    z[6 * i + 3] = __reduce_and_sync(0xffffffff, bits);
    z[6 * i + 4] = __reduce_or_sync(0xffffffff, bits);
    z[6 * i + 5] = __reduce_xor_sync(0xffffffff, bits);
}

extern "C" __global__ void redux_halves(const int* x, int* z) {
    int i = threadIdx.x;
    if (i % 2 == 0) {
        z[i] = __reduce_add_sync(0x55555555, x[i]);
    } else {
        z[i] = __reduce_add_sync(0xaaaaaaaa, x[i]);
    }
}
