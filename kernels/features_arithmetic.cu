// Breadth, 2 of 6: arithmetic. Element i of every input belongs to thread i, and result k of thread i of a kernel with
// m results is z[m * i + k].
//
//   divide_32       4 results: x / y and x % y, as signed and then as unsigned numbers.
//   divide_64       The same for 64 bits.
//   multiply        6 results: upper half of the product, signed and unsigned, of 32 and of 64 bits; then the full
//                   64-bit product of the lower 32 bits, and the product of the lower 24 bits.
//   bits            10 results: leading zeros, number of ones, reversed, position of the first one (from 1, 0 if there
//                   is none), the first two for x * 2^32 + x as a 64-bit number; then the two funnel shifts of (x, ~x)
//                   by 5, and those by 37, which count modulo 32 and up to 32.
//   bytes           4 results: __byte_perm(x, ~x, 0x3715), |x - y|, half the sum of x and y rounded down, and up.
//   shifts          6 results: x << y, signed x >> y, unsigned x >> y, of 32 bits and then of 64; y is below the width.
//   float_exact     8 results, all correctly rounded: x / y, sqrt x, 1 / x, x * y + 1, x + y rounded up and down,
//                   min and max (NaN only if both are).
//   float_close     6 results within a few units of the last place: 1 / sqrt x, sin, cos, exp, log of x, x to the y.
//   float_fast      6 results with larger errors: the intrinsics __fdividef, __sinf, __cosf, __expf, __logf, __powf.
//   double_exact    6 results: x / y, sqrt x, x * y + 1, x - y, floor x, min.
//   round_to_int    8 results: to the nearest, to zero, up, down; signed and then unsigned.
//   convert         8 results as doubles: x to half and back, to float, to short, to unsigned char, to long long, and
//                   the integer i to float rounded to zero and up, x saturated to 0 to 1.
//   compare_floats  One bit for each comparison of x with y: < <= > >= == !=, and the unordered test.
//   narrow          c[i] = a[i] + b[i] for signed char and unsigned char (modulo 256), e[i] = -d[i] for short.
//
// Launch: one block, one thread for each element.
//
// builds: sm_70, sm_60, sm_75, sm_70-debug

#include <cuda_fp16.h>

extern "C" __global__ void divide_32(const int* x, const int* y, int* z) {
    int i = threadIdx.x;
    unsigned a = x[i], b = y[i];
    z[4 * i] = x[i] / y[i];
    z[4 * i + 1] = x[i] % y[i];
    z[4 * i + 2] = a / b;
    z[4 * i + 3] = a % b;
}

extern "C" __global__ void divide_64(const long long* x, const long long* y, long long* z) {
    int i = threadIdx.x;
    unsigned long long a = x[i], b = y[i];
    z[4 * i] = x[i] / y[i];
    z[4 * i + 1] = x[i] % y[i];
    z[4 * i + 2] = a / b;
    z[4 * i + 3] = a % b;
}

extern "C" __global__ void multiply(const long long* x, const long long* y, long long* z) {
    int i = threadIdx.x;
    int a = x[i], b = y[i];
    z[6 * i] = __mulhi(a, b);
    z[6 * i + 1] = __umulhi(a, b);
    z[6 * i + 2] = __mul64hi(x[i], y[i]);
    z[6 * i + 3] = __umul64hi(x[i], y[i]);
    z[6 * i + 4] = (long long)a * b;
    z[6 * i + 5] = __mul24(a, b);
}

extern "C" __global__ void bits(const unsigned* x, unsigned* z) {
    int i = threadIdx.x;
    unsigned a = x[i];
    unsigned long long twice = (unsigned long long)a << 32 | a;
    z[10 * i] = __clz(a);
    z[10 * i + 1] = __popc(a);
    z[10 * i + 2] = __brev(a);
    z[10 * i + 3] = __ffs(a);
    z[10 * i + 4] = __clzll(twice);
    z[10 * i + 5] = __popcll(twice);
    z[10 * i + 6] = __funnelshift_l(a, ~a, 5);
    z[10 * i + 7] = __funnelshift_r(a, ~a, 5);
    z[10 * i + 8] = __funnelshift_l(a, ~a, 37);
    z[10 * i + 9] = __funnelshift_rc(a, ~a, 37);
}

extern "C" __global__ void bytes(const unsigned* x, const unsigned* y, unsigned* z) {
    int i = threadIdx.x;
    z[4 * i] = __byte_perm(x[i], ~x[i], 0x3715);
    z[4 * i + 1] = __usad(x[i], y[i], 0);
    z[4 * i + 2] = __uhadd(x[i], y[i]);
    z[4 * i + 3] = __urhadd(x[i], y[i]);
}

extern "C" __global__ void shifts(const long long* x, const int* y, long long* z) {
    int i = threadIdx.x;
    int a = x[i], by = y[i];
    z[6 * i] = a << by;
    z[6 * i + 1] = a >> by;
    z[6 * i + 2] = (unsigned)a >> by;
    z[6 * i + 3] = x[i] << by;
    z[6 * i + 4] = x[i] >> by;
    z[6 * i + 5] = (unsigned long long)x[i] >> by;
}

extern "C" __global__ void float_exact(const float* x, const float* y, float* z) {
    int i = threadIdx.x;
    z[8 * i] = x[i] / y[i];
    z[8 * i + 1] = sqrtf(x[i]);
    z[8 * i + 2] = __frcp_rn(x[i]);
    z[8 * i + 3] = fmaf(x[i], y[i], 1.0f);
    z[8 * i + 4] = __fadd_ru(x[i], y[i]);
    z[8 * i + 5] = __fadd_rd(x[i], y[i]);
    z[8 * i + 6] = fminf(x[i], y[i]);
    z[8 * i + 7] = fmaxf(x[i], y[i]);
}

extern "C" __global__ void float_close(const float* x, const float* y, float* z) {
    int i = threadIdx.x;
    z[6 * i] = rsqrtf(x[i]);
    z[6 * i + 1] = sinf(x[i]);
    z[6 * i + 2] = cosf(x[i]);
    z[6 * i + 3] = expf(x[i]);
    z[6 * i + 4] = logf(x[i]);
    z[6 * i + 5] = powf(x[i], y[i]);
}

extern "C" __global__ void float_fast(const float* x, const float* y, float* z) {
    int i = threadIdx.x;
    z[6 * i] = __fdividef(x[i], y[i]);
    z[6 * i + 1] = __sinf(x[i]);
    z[6 * i + 2] = __cosf(x[i]);
    z[6 * i + 3] = __expf(x[i]);
    z[6 * i + 4] = __logf(x[i]);
    z[6 * i + 5] = __powf(x[i], y[i]);
}

extern "C" __global__ void double_exact(const double* x, const double* y, double* z) {
    int i = threadIdx.x;
    z[6 * i] = x[i] / y[i];
    z[6 * i + 1] = sqrt(x[i]);
    z[6 * i + 2] = fma(x[i], y[i], 1.0);
    z[6 * i + 3] = x[i] - y[i];
    z[6 * i + 4] = floor(x[i]);
    z[6 * i + 5] = fmin(x[i], y[i]);
}

extern "C" __global__ void round_to_int(const float* x, int* z) {
    int i = threadIdx.x;
    z[8 * i] = __float2int_rn(x[i]);
    z[8 * i + 1] = __float2int_rz(x[i]);
    z[8 * i + 2] = __float2int_ru(x[i]);
    z[8 * i + 3] = __float2int_rd(x[i]);
    z[8 * i + 4] = __float2uint_rn(x[i]);
    z[8 * i + 5] = __float2uint_rz(x[i]);
    z[8 * i + 6] = __float2uint_ru(x[i]);
    z[8 * i + 7] = __float2uint_rd(x[i]);
}

extern "C" __global__ void convert(const double* x, double* z) {
    int i = threadIdx.x;
    float narrow = x[i];
    z[8 * i] = __half2float(__float2half_rn(narrow));
    z[8 * i + 1] = narrow;
    z[8 * i + 2] = (short)x[i];
    z[8 * i + 3] = (unsigned char)x[i];
    z[8 * i + 4] = (long long)x[i];
    z[8 * i + 5] = __int2float_rz(0x7fffff00 + i);
    z[8 * i + 6] = __int2float_ru(0x7fffff00 + i);
    z[8 * i + 7] = __saturatef(narrow);
}

extern "C" __global__ void compare_floats(const float* x, const float* y, int* z) {
    int i = threadIdx.x;
    float a = x[i], b = y[i];
    z[i] = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5
         | (isnan(a) || isnan(b)) << 6;
}

extern "C" __global__ void narrow(const signed char* a, const unsigned char* b, unsigned char* c, const short* d,
                                  short* e) {
    int i = threadIdx.x;
    c[i] = a[i] + b[i];
    e[i] = -d[i];
}
