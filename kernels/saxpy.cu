// Streaming: y = a * x + y, the kernel that does nothing but move memory.
//
//   saxpy  One multiply-add for every twelve bytes moved; no lane waits for another.
//
// Launch: one thread for each element, one-dimensional.
// Preconditions: x and y hold n floats and do not overlap.
//
// builds: sm_70, sm_60, sm_70-debug

// ANCHOR: saxpy
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = fmaf(a, x[i], y[i]);  // written out, so that a CPU can round the same way
    }
}
// ANCHOR_END: saxpy
