// Divergence: two values, and who decides which of them a thread writes.
//
// Every kernel fills c with 100s and 200s. They differ in where the boundary between the two values runs: between
// neighbouring lanes, so that a warp has to walk both paths, or between warps, so that each walks one.
//
//   math_even_thread        The parity of the thread decides: half of every warp goes each way.
//   math_even_warp          The parity of the warp decides. Mends math_even_thread: no warp is split, as long as the
//                           block size is a multiple of 32. (Same values, in another order.)
//   math_two_ifs            One condition and its opposite in two ifs: does the compiler see that they belong
//                           together? Thread parity, the same result as math_even_thread.
//   math_precedence         WRONG. Means the parity of the warp; but == binds tighter than &, so the condition is
//                           warp & (1 == 0), which is never true, and every element becomes 200.
//   math_precedence_mended  Mends it with a pair of parentheses: the same result as math_even_warp.
//   math_unguarded          WRONG when n is no multiple of the block: no thread is told where c ends, so those past
//                           the end write there.
//
// Launch: one thread for each element, one-dimensional grid and blocks of any size.
// Preconditions: c holds n floats; for math_unguarded it must hold as many as there are threads.
//
// An optimising compiler turns each of these ifs into a select, so that no branch is left to diverge. The debug build
// keeps what is written.
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
    if (warp & 0x01 == 0) {  // wrong: reads as warp & (0x01 == 0)
        even = 100.0f;
    } else {
        odd = 200.0f;
    }
    c[i] = even + odd;
}
// ANCHOR_END: math_precedence

// ANCHOR: math_precedence_mended
extern "C" __global__ void math_precedence_mended(float* c, int n) {
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
// ANCHOR_END: math_precedence_mended

// ANCHOR: math_unguarded
extern "C" __global__ void math_unguarded(float* c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    float even = 0.0f, odd = 0.0f;
    if (i % 2 == 0) {
        even = 100.0f;
    } else {
        odd = 200.0f;
    }
    c[i] = even + odd;  // wrong: the last block may reach past the end
}
// ANCHOR_END: math_unguarded
