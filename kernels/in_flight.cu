// The same bytes from memory with few or many threads, and with few or many loads in flight in each of them.
//
//   stream_1       Every thread adds elements that are a grid apart, and waits for each before it loads the next.
//   stream_2       It loads two before it needs the first.
//   stream_4       Four.
//   stream_8       Eight.
//   stream_wide_1  One load of 16 bytes at a time: four elements.
//   stream_wide_4  Four such loads before the first is needed.
//   copy_one       Every thread copies one element.
//   copy_four      Every thread copies four, a block apart, and loads all of them before it stores the first.
//
// Launch: one-dimensional, blocks of any size. stream_* any grid, also one that is smaller than the array; copy_one a
// thread for each element, copy_four a thread for each four.
// Preconditions: x holds n floats and begins at a multiple of 16 bytes; sums has a float for each thread, y one for each
// element. n plus eight times the threads of the grid is below 2^31.
//
// builds: sm_70

// ANCHOR: stream
template <int LOADS>
__device__ void stream(const float* x, float* sums, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float sum = 0;
    int i = thread;
#pragma unroll 1
    for (; i + (LOADS - 1) * threads < n; i += LOADS * threads) {
        float part[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) part[k] = x[i + k * threads];
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum += part[k];
    }
#pragma unroll 1
    for (; i < n; i += threads) sum += x[i];
    sums[thread] = sum;
}
// ANCHOR_END: stream

// ANCHOR: stream_1
extern "C" __global__ void stream_1(const float* x, float* sums, int n) {
    stream<1>(x, sums, n);
}
// ANCHOR_END: stream_1

// ANCHOR: stream_2
extern "C" __global__ void stream_2(const float* x, float* sums, int n) {
    stream<2>(x, sums, n);
}
// ANCHOR_END: stream_2

// ANCHOR: stream_4
extern "C" __global__ void stream_4(const float* x, float* sums, int n) {
    stream<4>(x, sums, n);
}
// ANCHOR_END: stream_4

// ANCHOR: stream_8
extern "C" __global__ void stream_8(const float* x, float* sums, int n) {
    stream<8>(x, sums, n);
}
// ANCHOR_END: stream_8

// ANCHOR: stream_wide
template <int LOADS>
__device__ void stream_wide(const float* x, float* sums, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    const float4* fours = (const float4*)x;
    float sum = 0;
    int i = thread;
#pragma unroll 1
    for (; i + (LOADS - 1) * threads < n / 4; i += LOADS * threads) {
        float4 part[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) part[k] = fours[i + k * threads];
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum += (part[k].x + part[k].y) + (part[k].z + part[k].w);
    }
#pragma unroll 1
    for (; i < n / 4; i += threads) sum += (fours[i].x + fours[i].y) + (fours[i].z + fours[i].w);
    // The elements after the last whole group of four.
    for (i = n / 4 * 4 + thread; i < n; i += threads) sum += x[i];
    sums[thread] = sum;
}
// ANCHOR_END: stream_wide

// ANCHOR: stream_wide_1
extern "C" __global__ void stream_wide_1(const float* x, float* sums, int n) {
    stream_wide<1>(x, sums, n);
}
// ANCHOR_END: stream_wide_1

// ANCHOR: stream_wide_4
extern "C" __global__ void stream_wide_4(const float* x, float* sums, int n) {
    stream_wide<4>(x, sums, n);
}
// ANCHOR_END: stream_wide_4

// ANCHOR: copy_one
extern "C" __global__ void copy_one(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}
// ANCHOR_END: copy_one

// ANCHOR: copy_four
extern "C" __global__ void copy_four(const float* x, float* y, int n) {
    int first = 4 * blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x;
    if (first + 3 * step < n) {
        float part[4];
#pragma unroll
        for (int k = 0; k < 4; k++) part[k] = x[first + k * step];
#pragma unroll
        for (int k = 0; k < 4; k++) y[first + k * step] = part[k];
    } else {
        for (int i = first; i < n; i += step) y[i] = x[i];
    }
}
// ANCHOR_END: copy_four
