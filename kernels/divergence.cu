// Divergence: a thread writes one of two values, and either the thread or its warp decides which.
//
// Every kernel fills c with 100s and 200s. They differ in where the two values meet: between neighbouring lanes, so
// that a warp has lanes on both sides of the if, or between warps, so that all lanes of a warp are on the same side.
//
//   math_even_thread        The parity of the thread decides, so half of every warp goes each way.
//   math_even_warp          The parity of the warp decides. All lanes of a warp go the same way, as long as the block
//                           size is a multiple of 32. (The same values, in another order.)
//   math_two_ifs            A condition and its opposite, in two ifs: does the compiler see that they belong together?
//                           The parity of the thread decides, so the result is that of math_even_thread.
//   math_precedence         WRONG. The parity of the warp is meant to decide. But == binds tighter than &, so that the
//                           condition means something else.
//   math_precedence_fixed   The same with the right parentheses, so the result is that of math_even_warp.
//   math_unguarded          WRONG if n is not a multiple of the block size. No thread knows where c ends, so those past
//                           its end write as well.
//
// Launch: one thread for each element, one-dimensional, with a grid and blocks of any size.
// Preconditions: c has n floats; for math_unguarded it has one for each thread.
//
// The kernels are compiled in two ways: optimised, and for debugging, which keeps the program as it is written.
// Compare what the compiler makes of each if.
//
// builds: sm_70, sm_60, sm_70-debug

// ANCHOR: math_even_thread
extern "C" __global__ void math_even_thread(float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float even = 0.0f, odd = 0.0f;
    if (i % 2 == 0) {
        even = 100.0f;
    } else {
        odd = 200.0f;
    }
    c[i] = even + odd;
}
// ANCHOR_END: math_even_thread

// ANCHOR: math_even_warp
extern "C" __global__ void math_even_warp(float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float even = 0.0f, odd = 0.0f;
    if ((i / warpSize) % 2 == 0) {
        even = 100.0f;
    } else {
        odd = 200.0f;
    }
    c[i] = even + odd;
}
// ANCHOR_END: math_even_warp

// ANCHOR: math_two_ifs
extern "C" __global__ void math_two_ifs(float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float even = 0.0f, odd = 0.0f;
    bool is_even = i % 2 == 0;
    if (is_even) {
        even = 100.0f;
    }
    if (!is_even) {
        odd = 200.0f;
    }
    c[i] = even + odd;
}
// ANCHOR_END: math_two_ifs

// ANCHOR: math_precedence
extern "C" __global__ void math_precedence(float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float even = 0.0f, odd = 0.0f;
    int warp = i >> 5;
    if (warp & 0x01 == 0) {  // wrong: it does not say what is meant
        even = 100.0f;
    } else {
        odd = 200.0f;
    }
    c[i] = even + odd;
}
// ANCHOR_END: math_precedence

// ANCHOR: math_precedence_fixed
extern "C" __global__ void math_precedence_fixed(float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float even = 0.0f, odd = 0.0f;
    int warp = i >> 5;
    if ((warp & 0x01) == 0) {
        even = 100.0f;
    } else {
        odd = 200.0f;
    }
    c[i] = even + odd;
}
// ANCHOR_END: math_precedence_fixed

// ANCHOR: math_unguarded
extern "C" __global__ void math_unguarded(float* c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    float even = 0.0f, odd = 0.0f;
    if (i % 2 == 0) {
        even = 100.0f;
    } else {
        odd = 200.0f;
    }
    c[i] = even + odd;  // wrong: i may be past the end of c
}
// ANCHOR_END: math_unguarded
