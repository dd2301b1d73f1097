// What one warp has to wait for, and what it can do meanwhile: loads and additions that need each other's results.
//
//   chase             One thread loads a number that says where the next number is, and so on: no load can begin
//                     before the last one has ended, so the time divided by the steps is the latency of a load.
//   chains_1          Each thread adds 32,768 times, and each addition needs the result of the one before.
//   chains_2          The same number of additions in two chains that do not need each other.
//   chains_4          In four.
//   chains_8          In eight.
//   hold              Each thread holds 64 numbers in registers and mixes them for some rounds.
//   hold_bounded      The same, but the compiler has to use so few registers that eight blocks of 256 threads fit
//                     on a multiprocessor; it keeps in local memory what has no register.
//   hold_few          Each thread holds 16 numbers.
//   hold_few_bounded  The same with that bound, under which 16 numbers have registers.
//
// Launch: chase one thread; chains_* any grid in one dimension; hold* a grid of blocks of 256 threads.
// Preconditions: next[at] is an index of next for each `at` on the way from 0. start holds 32 floats, out one for each
// thread. x and y hold 64 or 16 numbers for each thread.
//
// builds: sm_70

// ANCHOR: chase
extern "C" __global__ void chase(const int* next, int* end, int steps) {
    int at = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        at = next[at];
    }
    *end = at;
}
// ANCHOR_END: chase

#define ADDITIONS 32768

// ANCHOR: chains
template <int CHAINS>
__device__ float chains(float start, float step) {
    float value[CHAINS];
    for (int chain = 0; chain < CHAINS; chain++) value[chain] = start + chain;

    // Each time around: 64 additions, which the compiler writes out one after another.
#pragma unroll 1
    for (int done = 0; done < ADDITIONS; done += 64) {
#pragma unroll
        for (int nth = 0; nth < 64; nth++) value[nth % CHAINS] += step;
    }
    float sum = 0;
    for (int chain = 0; chain < CHAINS; chain++) sum += value[chain];
    return sum;
}
// ANCHOR_END: chains

// ANCHOR: chains_1
extern "C" __global__ void chains_1(const float* start, float* out, float step) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = chains<1>(start[threadIdx.x % 32], step);
}
// ANCHOR_END: chains_1

// ANCHOR: chains_2
extern "C" __global__ void chains_2(const float* start, float* out, float step) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = chains<2>(start[threadIdx.x % 32], step);
}
// ANCHOR_END: chains_2

// ANCHOR: chains_4
extern "C" __global__ void chains_4(const float* start, float* out, float step) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = chains<4>(start[threadIdx.x % 32], step);
}
// ANCHOR_END: chains_4

// ANCHOR: chains_8
extern "C" __global__ void chains_8(const float* start, float* out, float step) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = chains<8>(start[threadIdx.x % 32], step);
}
// ANCHOR_END: chains_8

// ANCHOR: mix
template <int HELD>
__device__ void mix(const unsigned* x, unsigned* y, int rounds) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned held[HELD];
#pragma unroll
    for (int k = 0; k < HELD; k++) held[k] = x[thread + k * threads];

#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int k = 0; k < HELD; k++) held[k] += held[(k + 1) % HELD];
    }
#pragma unroll
    for (int k = 0; k < HELD; k++) y[thread + k * threads] = held[k];
}
// ANCHOR_END: mix

// ANCHOR: hold
extern "C" __global__ void hold(const unsigned* x, unsigned* y, int rounds) {
    mix<64>(x, y, rounds);
}
// ANCHOR_END: hold

// ANCHOR: hold_bounded
extern "C" __global__ void __launch_bounds__(256, 8) hold_bounded(const unsigned* x, unsigned* y, int rounds) {
    mix<64>(x, y, rounds);
}
// ANCHOR_END: hold_bounded

// ANCHOR: hold_few
extern "C" __global__ void hold_few(const unsigned* x, unsigned* y, int rounds) {
    mix<16>(x, y, rounds);
}
// ANCHOR_END: hold_few

// ANCHOR: hold_few_bounded
extern "C" __global__ void __launch_bounds__(256, 8) hold_few_bounded(const unsigned* x, unsigned* y, int rounds) {
    mix<16>(x, y, rounds);
}
// ANCHOR_END: hold_few_bounded
