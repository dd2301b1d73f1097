// Four warps. Not every thread comes to every barrier.
//
// Launch: one block of 128 threads. `out` holds 128 zeros.

extern "C" __global__ void half_way_home(int* out) {
    int t = threadIdx.x;
    if (t >= 80) return;         // (A)
    if (t < 48) {
        __syncthreads();         // (B)
    }
    __syncwarp();                // (C)
    out[t] = 1;                  // (D)
}
