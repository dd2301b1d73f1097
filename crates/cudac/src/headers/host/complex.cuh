// Complex numbers of two floats or two doubles, on both sides.
// Written from: CUDA Math API, cuComplex.h; Smith, Algorithm 116 (1962), for the division and the absolute value.
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define __CUDAC_COMPLEX(C, T, f, make) \
    __host__ __device__ inline T cuCreal##f(C x) { return x.x; } \
    __host__ __device__ inline T cuCimag##f(C x) { return x.y; } \
    __host__ __device__ inline C make_##make(T real, T imaginary) { \
        C made; \
        made.x = real; \
        made.y = imaginary; \
        return made; \
    } \
    __host__ __device__ inline C cuConj##f(C x) { return make_##make(x.x, -x.y); } \
    __host__ __device__ inline C cuCadd##f(C a, C b) { return make_##make(a.x + b.x, a.y + b.y); } \
    __host__ __device__ inline C cuCsub##f(C a, C b) { return make_##make(a.x - b.x, a.y - b.y); } \
    __host__ __device__ inline C cuCmul##f(C a, C b) { \
        return make_##make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); \
    } \
    /* Scaled, so that squares of large and of small numbers are in range. */ \
    __host__ __device__ inline C cuCdiv##f(C a, C b) { \
        const T scale = 1 / (fabs##f(b.x) + fabs##f(b.y)); \
        const T ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale; \
        const T part = 1 / (bx * bx + by * by); \
        return make_##make((ax * bx + ay * by) * part, (ay * bx - ax * by) * part); \
    } \
    __host__ __device__ inline T cuCabs##f(C x) { \
        const T a = fabs##f(x.x), b = fabs##f(x.y); \
        const T more = a > b ? a : b, less = a > b ? b : a; \
        if (more == 0 || isinf(more) || isinf(less)) return more + less; \
        const T part = less / more; \
        return more * sqrt##f(1 + part * part); \
    } \
    __host__ __device__ inline C cuCfma##f(C a, C b, C c) { \
        return make_##make(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x); \
    }

__CUDAC_COMPLEX(cuFloatComplex, float, f, cuFloatComplex)
__CUDAC_COMPLEX(cuDoubleComplex, double, , cuDoubleComplex)

__host__ __device__ inline cuComplex make_cuComplex(float real, float imaginary) { return make_cuFloatComplex(real, imaginary); }
__host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return make_cuDoubleComplex(x.x, x.y); }
__host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
    return make_cuFloatComplex((float)x.x, (float)x.y);
}
