// Streaming: y = a * x + y, a kernel that spends nearly all of its time on moving memory.
//
//   saxpy  One multiply-add for every twelve bytes moved. No lane waits for another.
//
// Launch: one thread for each element, one-dimensional.
// Preconditions: x and y have n floats each and do not overlap.
//
// builds: sm_70, sm_60, sm_70-debug

// ANCHOR: saxpy
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = fmaf(a, x[i], y[i]);  // explicit, so that a CPU can round in the same way
    }
}
// ANCHOR_END: saxpy
