// Functions that PTX has no instruction for, computed in double precision; those of floats are rounded once more.
// Written from: J.-M. Muller, Elementary Functions (Taylor series, reduction of arguments after Cody and Waite and after
// Payne and Hanek, sums of two numbers). Each error is measured by `tests/functions.rs` against the CUDA Programming Guide's.

//: __own_scale
// x times 2 to the n, in two steps, so that only the last one rounds.
inline __device__ double __own_scale(double x, int n) {
    int half = n >> 1;
    double first = __longlong_as_double((long long)(half + 1023) << 52);
    return x * first * __longlong_as_double((long long)(n - half + 1023) << 52);
}
//: __own_exp
// e to x + low, less 1 if `less_one`: 2 to the n times e to what is left.
inline __device__ double __own_exp(double x, double low, bool less_one) {
    if (!(x < 711.0)) return x != x ? x : __longlong_as_double(0x7ff0000000000000);
    if (x < -746.0) return less_one ? -1.0 : 0.0;
    double sum = x + low;
    low += x - sum;
    x = sum;
    double n = rint(x * 1.4426950408889634);
    double r = __cudac_fma(-n, 0.6931471805599453, x);
    low = __cudac_fma(-n, 2.3190468138462996e-17, low);
    double q = __cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(1.0 / 87178291200.0, r, 1.0 / 6227020800.0), r, 1.0 / 479001600.0), r, 1.0 / 39916800.0), r, 1.0 / 3628800.0), r, 1.0 / 362880.0), r, 1.0 / 40320.0), r, 1.0 / 5040.0), r, 1.0 / 720.0), r, 1.0 / 120.0), r, 1.0 / 24.0), r, 1.0 / 6.0), r, 1.0 / 2.0);
    double p = r * r * q;
    p = r + (p + __cudac_fma(low, r + p, low));
    if (!less_one) return __own_scale(1.0 + p, (int)n);
    if (n == 0.0) return p;
    if (n > 60.0 || n < -60.0) return __own_scale(1.0 + p, (int)n) - 1.0;
    double s = __own_scale(1.0, (int)n);
    return __cudac_fma(s, p, s - 1.0);
}
//: __own_log __own_log_times
// The natural logarithm of a positive number as a sum; `low` is the smaller part.
inline __device__ double __own_log(double x, double& low) {
    int k = 0;
    if (x < 2.2250738585072014e-308) {
        x *= 18014398509481984.0;
        k = -54;
    }
    long long bits = __double_as_longlong(x);
    int e = (int)((bits - 0x3fe6a09e667f3bcdll) >> 52);
    // Between the roots of a half and of 2; the logarithm is 2 artanh(s).
    double f = __longlong_as_double(bits - ((long long)e << 52)) - 1.0;
    k += e;
    double d = 2.0 + f;
    double s = f / d;
    double s_low = (__cudac_fma(-s, d, f) - s * (f - (d - 2.0))) / d;
    double z = s * s;
    double z_low = __cudac_fma(s, s, -z) + 2.0 * s * s_low;
    double tail = z * z * (__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(1.0 / 25.0, z, 1.0 / 23.0), z, 1.0 / 21.0), z, 1.0 / 19.0), z, 1.0 / 17.0), z, 1.0 / 15.0), z, 1.0 / 13.0), z, 1.0 / 11.0), z, 1.0 / 9.0), z, 1.0 / 7.0), z, 1.0 / 5.0));
    double q = z * 0.3333333333333333;
    double q_low = __cudac_fma(z, 0.3333333333333333, -q) + (z * 1.850371707708594e-17 + z_low * 0.3333333333333333 + tail);
    double w = s * q;
    double w_low = __cudac_fma(s, q, -w) + (s * q_low + s_low * q);
    double high = s + w;
    low = 2.0 * ((s - high) + w + (s_low + w_low));
    high *= 2.0;
    double scale = k * 0.693147180559663;
    double sum = scale + high;
    low += (scale - sum) + high + k * 2.8235290563031577e-13;
    return sum;
}
// The logarithm times a constant, whose smaller part is `c_low`.
inline __device__ double __own_log_times(double x, double c, double c_low) {
    if (!(x > 0.0)) return x == 0.0 ? -__longlong_as_double(0x7ff0000000000000) : __longlong_as_double(0x7ff8000000000000);
    if (x == __longlong_as_double(0x7ff0000000000000)) return x;
    double low;
    double high = __own_log(x, low);
    double p = high * c;
    return p + (__cudac_fma(high, c, -p) + (high * c_low + low * c));
}
//: __own_quadrant
__device__ const unsigned long long __own_two_over_pi[20] = {
    0, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull,
    0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull,
    0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull,
    0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull};
// x less the nearest multiple of half of pi, as a sum, and which multiple it is, modulo 4.
inline __device__ int __own_quadrant(double x, double& r, double& low) {
    if (__cudac_abs(x) < 1048576.0) {
        double n = rint(x * 0.6366197723675814);
        double t = __cudac_fma(-n, 1.5707963267948966, x);
        double p = n * 6.123233995736766e-17;
        r = t - p;
        low = ((t - r) - p) - __cudac_fma(n, 6.123233995736766e-17, -p) + n * 1.4973849048591698e-33;
        return (int)n;
    }
    long long bits = __double_as_longlong(x);
    unsigned long long m = ((unsigned long long)bits | 0x10000000000000ull) << 11;
    // Bits of 2 / pi that only add multiples of 4 are skipped.
    int skip = (int)(bits >> 52 & 0x7ff) - 1024;
    const unsigned long long* word = __own_two_over_pi + (skip >> 6);
    int left = skip & 63;
    unsigned long long a[3];
    for (int i = 0; i < 3; i++) a[i] = left == 0 ? word[i] : word[i] << left | word[i + 1] >> (64 - left);
    unsigned long long p2 = __umul64hi(m, a[2]);
    unsigned long long p1 = m * a[1] + p2;
    unsigned long long p0 = m * a[0] + __umul64hi(m, a[1]) + (p1 < p2 ? 1 : 0);
    int n = (int)(p0 >> 62);
    unsigned long long high = p0 << 2 | p1 >> 62;
    unsigned long long rest = p1 << 2;
    double sign = 1.0;
    if ((long long)high < 0) {
        n++;
        sign = -1.0;
        rest = 0 - rest;
        high = ~high + (rest == 0 ? 1 : 0);
    }
    int zeros = __clzll((long long)high);
    if (zeros > 0) high = high << zeros | rest >> (64 - zeros);
    double h = __own_scale((double)(high >> 11), -53 - zeros);
    double l = __own_scale((double)(high & 0x7ff), -64 - zeros);
    r = h * 1.5707963267948966;
    low = __cudac_fma(h, 1.5707963267948966, -r) + (h * 6.123233995736766e-17 + l * 1.5707963267948966);
    if (x < 0.0) {
        sign = -sign;
        n = -n;
    }
    r *= sign;
    low *= sign;
    return n;
}
//: __own_sine
inline __device__ double __own_near_sine(double r, double low) {
    double z = r * r;
    double q = __cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(1.0 / 355687428096000.0, z, -1.0 / 1307674368000.0), z, 1.0 / 6227020800.0), z, -1.0 / 39916800.0), z, 1.0 / 362880.0), z, -1.0 / 5040.0), z, 1.0 / 120.0), z, -1.0 / 6.0);
    return r + (r * z * q + low * (1.0 - 0.5 * z));
}
inline __device__ double __own_near_cosine(double r, double low) {
    double z = r * r;
    double q = __cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(-1.0 / 6402373705728000.0, z, 1.0 / 20922789888000.0), z, -1.0 / 87178291200.0), z, 1.0 / 479001600.0), z, -1.0 / 3628800.0), z, 1.0 / 40320.0), z, -1.0 / 720.0), z, 1.0 / 24.0);
    double half = 0.5 * z;
    double w = 1.0 - half;
    return w + (((1.0 - w) - half) + (z * z * q - r * low));
}
// The sine of x and a number of quarters of a turn.
inline __device__ double __own_sine(double x, int quarters) {
    if (!(__cudac_abs(x) < __longlong_as_double(0x7ff0000000000000))) return x - x;
    double r, low;
    int n = __own_quadrant(x, r, low) + quarters;
    double y = n & 1 ? __own_near_cosine(r, low) : __own_near_sine(r, low);
    return n & 2 ? -y : y;
}
//: __own_atan
// For 0 to 1: the arc tangent of one of three numbers, and that of what is left.
inline __device__ double __own_atan(double x) {
    double high = 0.0, low = 0.0, t = x;
    if (x > 0.671) {
        t = (x - 1.0) / (1.0 + x);
        high = 0.7853981633974483;
        low = 3.061616997868383e-17;
    } else if (x > 0.2) {
        t = (x - 0.40625) / __cudac_fma(x, 0.40625, 1.0);
        high = 0.38588266939807375;
        low = 2.378822732491941e-17;
    }
    double z = t * t;
    return high + (t + __cudac_fma(t * z, __cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(__cudac_fma(-1.0 / 27.0, z, 1.0 / 25.0), z, -1.0 / 23.0), z, 1.0 / 21.0), z, -1.0 / 19.0), z, 1.0 / 17.0), z, -1.0 / 15.0), z, 1.0 / 13.0), z, -1.0 / 11.0), z, 1.0 / 9.0), z, -1.0 / 7.0), z, 1.0 / 5.0), z, -1.0 / 3.0), low));
}

//: exp expf
inline __device__ double exp(double x) { return __own_exp(x, 0.0, false); }
inline __device__ float expf(float x) { return (float)__own_exp((double)x, 0.0, false); }
inline __device__ float exp(float x) { return expf(x); }
//: expm1 expm1f
inline __device__ double expm1(double x) { return x == 0.0 ? x : __own_exp(x, 0.0, true); }
inline __device__ float expm1f(float x) { return (float)expm1((double)x); }
inline __device__ float expm1(float x) { return expm1f(x); }
//: exp2
inline __device__ double exp2(double x) {
    if (!(__cudac_abs(x) < 1100.0)) return x != x ? x : x > 0.0 ? __longlong_as_double(0x7ff0000000000000) : 0.0;
    double n = rint(x);
    return __own_scale(__own_exp((x - n) * 0.6931471805599453, (x - n) * 2.3190468138462996e-17, false), (int)n);
}
inline __device__ float exp2(float x) { return exp2f(x); }
//: exp10 exp10f
inline __device__ double exp10(double x) {
    if (!(__cudac_abs(x) < 330.0)) return x != x ? x : x > 0.0 ? __longlong_as_double(0x7ff0000000000000) : 0.0;
    double p = x * 2.302585092994046;
    return __own_exp(p, __cudac_fma(x, 2.302585092994046, -p) - x * 2.1707562233822494e-16, false);
}
inline __device__ float exp10f(float x) { return (float)exp10((double)x); }
inline __device__ float exp10(float x) { return exp10f(x); }
//: log logf
inline __device__ double log(double x) { return __own_log_times(x, 1.0, 0.0); }
inline __device__ float logf(float x) { return (float)log((double)x); }
inline __device__ float log(float x) { return logf(x); }
//: log2 log2f
inline __device__ double log2(double x) { return __own_log_times(x, 1.4426950408889634, 2.0355273740931033e-17); }
inline __device__ float log2f(float x) { return (float)log2((double)x); }
inline __device__ float log2(float x) { return log2f(x); }
//: log10 log10f
inline __device__ double log10(double x) { return __own_log_times(x, 0.4342944819032518, 1.098319650216765e-17); }
inline __device__ float log10f(float x) { return (float)log10((double)x); }
inline __device__ float log10(float x) { return log10f(x); }
//: log1p log1pf
inline __device__ double log1p(double x) {
    if (!(x > -1.0) || x == __longlong_as_double(0x7ff0000000000000)) return log(1.0 + x);
    if (__cudac_abs(x) < 1e-17) return x;
    double sum = 1.0 + x, low;
    double rest = sum > 2.0 ? 1.0 - (sum - x) : x - (sum - 1.0);
    double high = __own_log(sum, low);
    return high + (low + rest / sum);
}
inline __device__ float log1pf(float x) { return (float)log1p((double)x); }
inline __device__ float log1p(float x) { return log1pf(x); }
//: pow powf
inline __device__ double pow(double x, double y) {
    double infinity = __longlong_as_double(0x7ff0000000000000);
    double a = __cudac_abs(x);
    if (y == 0.0 || x == 1.0) return 1.0;
    if (x != x || y != y) return x + y;
    double half = 0.5 * y;
    bool is_whole = trunc(y) == y;
    bool is_odd = is_whole && trunc(half) != half;
    double sign = is_odd && __double_as_longlong(x) < 0 ? -1.0 : 1.0;
    if (a == 0.0 || a == infinity) return sign * ((a == 0.0) == (y > 0.0) ? 0.0 : infinity);
    if (__cudac_abs(y) == infinity) return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? infinity : 0.0;
    if (x < 0.0 && !is_whole) return __longlong_as_double(0x7ff8000000000000);
    double low;
    double high = __own_log(a, low);
    double p = y * high;
    if (__cudac_abs(p) > 800.0) return sign * (p > 0.0 ? infinity : 0.0);
    return sign * __own_exp(p, __cudac_fma(y, high, -p) + y * low, false);
}
inline __device__ float powf(float x, float y) { return (float)pow((double)x, (double)y); }
inline __device__ float pow(float x, float y) { return powf(x, y); }
inline __device__ double pow(double x, int y) { return pow(x, (double)y); }
inline __device__ double pow(double x, float y) { return pow(x, (double)y); }
inline __device__ double pow(float x, double y) { return pow((double)x, y); }
inline __device__ float pow(float x, int y) { return powf(x, (float)y); }
inline __device__ double pow(int x, double y) { return pow((double)x, y); }
inline __device__ double pow(int x, int y) { return pow((double)x, (double)y); }
//: sin sinf
inline __device__ double sin(double x) { return __cudac_abs(x) < 1e-9 ? x : __own_sine(x, 0); }
inline __device__ float sinf(float x) { return (float)sin((double)x); }
inline __device__ float sin(float x) { return sinf(x); }
//: cos cosf
inline __device__ double cos(double x) { return __own_sine(x, 1); }
inline __device__ float cosf(float x) { return (float)cos((double)x); }
inline __device__ float cos(float x) { return cosf(x); }
//: tan tanf
inline __device__ double tan(double x) { return __cudac_abs(x) < 1e-9 ? x : __own_sine(x, 0) / __own_sine(x, 1); }
inline __device__ float tanf(float x) { return (float)tan((double)x); }
inline __device__ float tan(float x) { return tanf(x); }
//: sincos sincosf __sincosf
inline __device__ void sincos(double x, double* s, double* c) {
    *s = sin(x);
    *c = cos(x);
}
inline __device__ void sincosf(float x, float* s, float* c) {
    *s = sinf(x);
    *c = cosf(x);
}
inline __device__ void sincos(float x, float* s, float* c) { sincosf(x, s, c); }
inline __device__ void __sincosf(float x, float* s, float* c) {
    *s = __sinf(x);
    *c = __cosf(x);
}
//: __own_turns
// What is left of x less the nearest multiple of 2, which changes neither the sine nor the cosine of pi x.
inline __device__ double __own_turns(double x) { return (x - 2.0 * rint(0.5 * x)) * 3.141592653589793; }
//: sinpif
inline __device__ double __own_sinpi(double x) { return trunc(x) == x ? 0.0 * x : sin(__own_turns(x)); }
inline __device__ float sinpif(float x) { return (float)__own_sinpi((double)x); }
//: cospif
inline __device__ double __own_cospi(double x) { return __cudac_abs(x - trunc(x)) == 0.5 ? 0.0 : cos(__own_turns(x)); }
inline __device__ float cospif(float x) { return (float)__own_cospi((double)x); }
//: copysign copysignf
inline __device__ double copysign(double x, double y) {
    return __longlong_as_double(__double_as_longlong(x) & 0x7fffffffffffffff | __double_as_longlong(y) & (-0x7fffffffffffffff - 1));
}
inline __device__ float copysignf(float x, float y) {
    return __uint_as_float(__float_as_uint(x) & 0x7fffffffu | __float_as_uint(y) & 0x80000000u);
}
inline __device__ float copysign(float x, float y) { return copysignf(x, y); }
//: atan2 atan2f
inline __device__ double atan2(double y, double x) {
    if (x != x || y != y) return x + y;
    double a = __cudac_abs(x), b = __cudac_abs(y);
    double angle = __own_atan(a == b ? (a == 0.0 ? 0.0 : 1.0) : b > a ? a / b : b / a);
    if (b > a) angle = 1.5707963267948966 - (angle - 6.123233995736766e-17);
    if (__double_as_longlong(x) < 0) angle = 3.141592653589793 - (angle - 1.2246467991473532e-16);
    return copysign(angle, y);
}
inline __device__ float atan2f(float y, float x) { return (float)atan2((double)y, (double)x); }
inline __device__ float atan2(float y, float x) { return atan2f(y, x); }
//: atan atanf
inline __device__ double atan(double x) { return x == 0.0 ? x : atan2(x, 1.0); }
inline __device__ float atanf(float x) { return (float)atan((double)x); }
inline __device__ float atan(float x) { return atanf(x); }
//: asin asinf
inline __device__ double asin(double x) { return x == 0.0 ? x : atan2(x, sqrt((1.0 - x) * (1.0 + x))); }
inline __device__ float asinf(float x) { return (float)asin((double)x); }
inline __device__ float asin(float x) { return asinf(x); }
//: acos acosf
inline __device__ double acos(double x) { return 2.0 * atan2(sqrt(0.5 * (1.0 - x)), sqrt(0.5 * (1.0 + x))); }
inline __device__ float acosf(float x) { return (float)acos((double)x); }
inline __device__ float acos(float x) { return acosf(x); }
//: sinh sinhf
inline __device__ double sinh(double x) {
    if (__cudac_abs(x) > 40.0) return copysign(__own_exp(__cudac_abs(x), -0.6931471805599453, false), x);
    double e = expm1(__cudac_abs(x));
    return copysign(0.5 * (e + e / (e + 1.0)), x);
}
inline __device__ float sinhf(float x) { return (float)sinh((double)x); }
inline __device__ float sinh(float x) { return sinhf(x); }
//: cosh coshf
inline __device__ double cosh(double x) {
    if (__cudac_abs(x) > 40.0) return __own_exp(__cudac_abs(x), -0.6931471805599453, false);
    double e = exp(__cudac_abs(x));
    return 0.5 * e + 0.5 / e;
}
inline __device__ float coshf(float x) { return (float)cosh((double)x); }
inline __device__ float cosh(float x) { return coshf(x); }
//: tanh tanhf
inline __device__ double tanh(double x) {
    double a = __cudac_abs(x);
    if (a > 20.0) return copysign(1.0, x);
    if (a != a) return x;
    double e = expm1(2.0 * a);
    double d = e + 2.0;
    if (a >= 1.0) return copysign(1.0 - 2.0 / d, x);
    // What rounding has left out of the sum and of the quotient is added.
    double low = e < 2.0 ? e - (d - 2.0) : 2.0 - (d - e);
    double q = e / d;
    return copysign(q + (__cudac_fma(-q, d, e) - q * low) / d, x);
}
inline __device__ float tanhf(float x) { return (float)tanh((double)x); }
inline __device__ float tanh(float x) { return tanhf(x); }
//: asinhf
inline __device__ float asinhf(float x) {
    double a = __cudac_abs((double)x);
    return copysignf((float)log1p(a + a * a / (1.0 + sqrt(a * a + 1.0))), x);
}
//: acoshf
inline __device__ float acoshf(float x) { return (float)log((double)x + sqrt(((double)x - 1.0) * ((double)x + 1.0))); }
//: atanhf
inline __device__ float atanhf(float x) { return (float)(0.5 * log1p(2.0 * (double)x / (1.0 - (double)x))); }
//: __own_erf
// A series for small arguments; for large ones the complement as a continued fraction.
inline __device__ double __own_erf(double x) {
    double sum = x, term = x;
    for (int n = 1; n < 60; n++) {
        term *= 2.0 * x * x / (2 * n + 1);
        sum += term;
    }
    return 1.1283791670955126 * exp(-x * x) * sum;
}
inline __device__ double __own_erfc(double x) {
    double rest = x;
    for (int n = 60; n > 0; n--) rest = x + 0.5 * n / rest;
    return 0.5641895835477563 * exp(-x * x) / rest;
}
//: erff
inline __device__ float erff(float x) {
    double a = __cudac_abs((double)x);
    return a < 3.0 ? (float)__own_erf((double)x) : a == a ? copysignf((float)(1.0 - __own_erfc(a)), x) : x;
}
//: erfcf
inline __device__ float erfcf(float x) {
    if (x < 1.5f) return x > -4.0f ? (float)(1.0 - __own_erf((double)x)) : 2.0f;
    return x > 11.0f ? 0.0f : (float)__own_erfc((double)x);
}
//: normcdff
inline __device__ float normcdff(float x) {
    double t = -0.7071067811865476 * (double)x;
    // The series has too few terms below -4.
    if (t < 1.5) return t > -4.0 ? (float)(0.5 - 0.5 * __own_erf(t)) : x != x ? x : t > -11.0 ? (float)(1.0 - 0.5 * __own_erfc(-t)) : 1.0f;
    return t > 11.0 ? 0.0f : (float)(0.5 * __own_erfc(t));
}
//: cbrt cbrtf
inline __device__ double cbrt(double x) {
    double a = __cudac_abs(x);
    if (a == 0.0 || !(a < __longlong_as_double(0x7ff0000000000000))) return x + x;
    double low;
    double high = __own_log(a, low);
    double y = __own_exp((high + low) * 0.3333333333333333, 0.0, false);
    // One step of Newton's method with the exact cube.
    double s = y * y;
    double c = s * y;
    double c_low = __cudac_fma(s, y, -c) + __cudac_fma(y, y, -s) * y;
    return copysign(y - ((c - a) + c_low) / (3.0 * s), x);
}
inline __device__ float cbrtf(float x) { return (float)cbrt((double)x); }
inline __device__ float cbrt(float x) { return cbrtf(x); }
//: hypot hypotf
inline __device__ double hypot(double x, double y) {
    double a = __cudac_max(__cudac_abs(x), __cudac_abs(y)), b = __cudac_min(__cudac_abs(x), __cudac_abs(y));
    if (x != x || y != y) return a == __longlong_as_double(0x7ff0000000000000) ? a : x + y;
    if (b == 0.0 || a == __longlong_as_double(0x7ff0000000000000)) return a;
    double scale = a > 1e150 ? 1e-150 : b < 1e-150 ? 1e150 : 1.0;
    if (scale > 1.0 && a > 1.0) return a;
    a *= scale;
    b *= scale;
    return sqrt(__cudac_fma(a, a, b * b)) / scale;
}
inline __device__ float hypotf(float x, float y) { return (float)hypot((double)x, (double)y); }
inline __device__ float hypot(float x, float y) { return hypotf(x, y); }
//: rsqrt
inline __device__ double rsqrt(double x) { return 1.0 / sqrt(x); }
inline __device__ float rsqrt(float x) { return rsqrtf(x); }
//: norm3df rnorm3df
inline __device__ float norm3df(float x, float y, float z) { return (float)sqrt((double)x * x + (double)y * y + (double)z * z); }
inline __device__ float rnorm3df(float x, float y, float z) { return (float)(1.0 / sqrt((double)x * x + (double)y * y + (double)z * z)); }
//: fmod fmodf
// Division by hand: eleven bits of the quotient in each step.
inline __device__ double fmod(double x, double y) {
    double a = __cudac_abs(x), b = __cudac_abs(y);
    if (!(a < __longlong_as_double(0x7ff0000000000000)) || b == 0.0 || y != y) return (x * y) / (x * y);
    if (a < b) return x;
    int e = (int)(__double_as_longlong(a) >> 52), d = (int)(__double_as_longlong(b) >> 52);
    unsigned long long m = (unsigned long long)__double_as_longlong(a) & 0xfffffffffffffull | (e > 0 ? 0x10000000000000ull : 0);
    unsigned long long n = (unsigned long long)__double_as_longlong(b) & 0xfffffffffffffull | (d > 0 ? 0x10000000000000ull : 0);
    e = e > 0 ? e : 1;
    d = d > 0 ? d : 1;
    m %= n;
    while (e > d) {
        int step = e - d < 11 ? e - d : 11;
        m = (m << step) % n;
        e -= step;
    }
    return copysign(m == 0 ? 0.0 : __own_scale((double)m * 5.9604644775390625e-08, d - 1051), x);
}
inline __device__ float fmodf(float x, float y) { return (float)fmod((double)x, (double)y); }
inline __device__ float fmod(float x, float y) { return fmodf(x, y); }
//: remainder remainderf
inline __device__ double remainder(double x, double y) {
    double b = __cudac_abs(y);
    double r = b < 8e307 ? fmod(x, 2.0 * b) : fmod(x, b + 0.0 * b);
    double a = __cudac_abs(r);
    if (b < 4.5e-308 ? a + a > b : a > 0.5 * b) {
        a -= b;
        if (b < 4.5e-308 ? a + a >= b : a >= 0.5 * b) a -= b;
        return __double_as_longlong(x) < 0 ? -a : a;
    }
    return r;
}
inline __device__ float remainderf(float x, float y) { return (float)remainder((double)x, (double)y); }
//: round roundf
inline __device__ float roundf(float x) {
    // Rounded to zero, a half that is added brings no fraction below a half to one, and no product before is fused with it.
    float more;
    asm("add.rz.f32 %0, %1, %2;" : "=f"(more) : "f"(x), "f"(copysignf(0.5f, x)));
    return truncf(more);
}
inline __device__ double round(double x) {
    double more;
    asm("add.rz.f64 %0, %1, %2;" : "=d"(more) : "d"(x), "d"(copysign(0.5, x)));
    return trunc(more);
}
inline __device__ float round(float x) { return roundf(x); }
//: lroundf lround lrintf lrint llroundf llrintf
inline __device__ long lroundf(float x) { return (long)roundf(x); }
inline __device__ long lround(double x) { return (long)round(x); }
inline __device__ long lrintf(float x) { return (long)rintf(x); }
inline __device__ long lrint(double x) { return (long)rint(x); }
inline __device__ long long llroundf(float x) { return (long long)roundf(x); }
inline __device__ long long llrintf(float x) { return (long long)rintf(x); }
//: ldexp ldexpf scalbnf scalbn
inline __device__ double ldexp(double x, int n) {
    n = n > 2200 ? 2200 : n < -2200 ? -2200 : n;
    if (n >= -1000 && n <= 1000) return __own_scale(x, n);
    int part = n / 3;
    return __own_scale(__own_scale(x, part), n - part);
}
inline __device__ float ldexpf(float x, int n) { return (float)ldexp((double)x, n > 400 ? 400 : n < -400 ? -400 : n); }
inline __device__ float ldexp(float x, int n) { return ldexpf(x, n); }
inline __device__ float scalbnf(float x, int n) { return ldexpf(x, n); }
inline __device__ double scalbn(double x, int n) { return ldexp(x, n); }
//: modff modf
inline __device__ double modf(double x, double* whole) {
    *whole = trunc(x);
    return copysign(__cudac_abs(x) == __longlong_as_double(0x7ff0000000000000) ? 0.0 : x - *whole, x);
}
inline __device__ float modff(float x, float* whole) {
    *whole = truncf(x);
    return copysignf(__cudac_abs(x) == __int_as_float(0x7f800000) ? 0.0f : x - *whole, x);
}
//: fdimf fdim
inline __device__ float fdimf(float x, float y) { return x > y ? x - y : x == x && y == y ? 0.0f : x + y; }
inline __device__ double fdim(double x, double y) { return x > y ? x - y : x == x && y == y ? 0.0 : x + y; }
//: isfinite signbit
inline __device__ bool isfinite(float x) { return __cudac_abs(x) < __int_as_float(0x7f800000); }
inline __device__ bool isfinite(double x) { return __cudac_abs(x) < __longlong_as_double(0x7ff0000000000000); }
inline __device__ bool signbit(float x) { return __float_as_int(x) < 0; }
inline __device__ bool signbit(double x) { return __double_as_longlong(x) < 0; }
//: memcpy memset
inline __device__ void* memcpy(void* to, const void* from, unsigned long count) {
    for (unsigned long i = 0; i < count; i++) ((char*)to)[i] = ((const char*)from)[i];
    return to;
}
inline __device__ void* memset(void* to, int value, unsigned long count) {
    for (unsigned long i = 0; i < count; i++) ((char*)to)[i] = (char)value;
    return to;
}
