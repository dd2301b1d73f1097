// Predication: when does an if stop being a branch?
//
//   body_1 ... body_32    The body of the if grows from 1 step to 32, and only the lanes that take the if store.
//   merge_1 ... merge_32  The same steps, but something is left to do after the if: every lane stores.
//
// A step is one fused multiply-add that needs the result of the step before, so the compiler cannot shorten the
// sequence. It rounds only once, so a CPU computes the same bits.
//
// In PTX, all of these kernels have a branch around the steps. Only the machine code shows which of these branches are
// left, and that depends on the assembler, the GPU and the number of steps. Where no branch is left, each step carries
// a predicate instead. In the body_... kernels, a lane that does not take the if has nothing left to do, so it can also
// leave the kernel there.
//
// (Each kernel has a line of its own for the call: 12.0's assembler crashes, for sm_90, on one that is a single line.)
//
// Launch: one thread for each element, one-dimensional.
// Preconditions: x and z hold n floats.
//
// builds: sm_70, sm_60, sm_70-debug

// ANCHOR: steps
template <int count>
__device__ float steps(float value) {
#pragma unroll
    for (int s = 0; s < count; s++) {
        value = fmaf(value, 0.5f, 1.0f);
    }
    return value;
}
// ANCHOR_END: steps

// ANCHOR: body
template <int count>
__device__ void body(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float value = x[i];
    if (value > 0.0f) {
        z[i] = steps<count>(value);
    }
}

extern "C" __global__ void body_1(const float* x, float* z, int n) {
    body<1>(x, z, n);
}
extern "C" __global__ void body_2(const float* x, float* z, int n) {
    body<2>(x, z, n);
}
extern "C" __global__ void body_4(const float* x, float* z, int n) {
    body<4>(x, z, n);
}
extern "C" __global__ void body_8(const float* x, float* z, int n) {
    body<8>(x, z, n);
}
extern "C" __global__ void body_16(const float* x, float* z, int n) {
    body<16>(x, z, n);
}
extern "C" __global__ void body_32(const float* x, float* z, int n) {
    body<32>(x, z, n);
}
// ANCHOR_END: body

// ANCHOR: merge
template <int count>
__device__ void merge(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float value = x[i];
    if (value > 0.0f) {
        value = steps<count>(value);
    }
    z[i] = value;
}

extern "C" __global__ void merge_1(const float* x, float* z, int n) {
    merge<1>(x, z, n);
}
extern "C" __global__ void merge_2(const float* x, float* z, int n) {
    merge<2>(x, z, n);
}
extern "C" __global__ void merge_4(const float* x, float* z, int n) {
    merge<4>(x, z, n);
}
extern "C" __global__ void merge_8(const float* x, float* z, int n) {
    merge<8>(x, z, n);
}
extern "C" __global__ void merge_16(const float* x, float* z, int n) {
    merge<16>(x, z, n);
}
extern "C" __global__ void merge_32(const float* x, float* z, int n) {
    merge<32>(x, z, n);
}
// ANCHOR_END: merge
