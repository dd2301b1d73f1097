// Mathematical functions in `std`, which are those of C.
// Written from: C++17, [cmath.syn].
#include <limits.h>
namespace std {
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }
inline int abs(int x) { return x < 0 ? -x : x; }
inline long abs(long x) { return x < 0 ? -x : x; }
#define __CUDAC_OF_ONE(name) \
    __host__ __device__ inline float name(float x) { return ::name##f(x); } \
    __host__ __device__ inline double name(double x) { return ::name(x); } \
    __host__ __device__ inline double name(int x) { return ::name((double)x); }
#define __CUDAC_OF_TWO(name) \
    __host__ __device__ inline float name(float x, float y) { return ::name##f(x, y); } \
    __host__ __device__ inline double name(double x, double y) { return ::name(x, y); } \
    __host__ __device__ inline double name(double x, int y) { return ::name(x, (double)y); } \
    __host__ __device__ inline double name(int x, int y) { return ::name((double)x, (double)y); } \
    __host__ __device__ inline float name(float x, int y) { return ::name##f(x, (float)y); } \
    __host__ __device__ inline double name(float x, double y) { return ::name((double)x, y); } \
    __host__ __device__ inline double name(double x, float y) { return ::name(x, (double)y); }
__CUDAC_OF_ONE(sqrt)
__CUDAC_OF_ONE(cbrt)
__CUDAC_OF_ONE(exp)
__CUDAC_OF_ONE(exp2)
__CUDAC_OF_ONE(log)
__CUDAC_OF_ONE(log2)
__CUDAC_OF_ONE(log10)
__CUDAC_OF_ONE(sin)
__CUDAC_OF_ONE(cos)
__CUDAC_OF_ONE(tan)
__CUDAC_OF_ONE(asin)
__CUDAC_OF_ONE(acos)
__CUDAC_OF_ONE(atan)
__CUDAC_OF_ONE(sinh)
__CUDAC_OF_ONE(cosh)
__CUDAC_OF_ONE(tanh)
__CUDAC_OF_ONE(floor)
__CUDAC_OF_ONE(ceil)
__CUDAC_OF_ONE(round)
__CUDAC_OF_ONE(trunc)
__CUDAC_OF_ONE(fabs)
__CUDAC_OF_TWO(pow)
__CUDAC_OF_TWO(fmod)
__CUDAC_OF_TWO(atan2)
__CUDAC_OF_TWO(hypot)
__CUDAC_OF_TWO(fmax)
__CUDAC_OF_TWO(fmin)
__host__ __device__ inline bool isnan(double x) { return x != x; }
__host__ __device__ inline bool isinf(double x) { return x - x != x - x && x == x; }
__host__ __device__ inline bool isfinite(double x) { return x - x == x - x; }
}
