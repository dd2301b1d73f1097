// `__half` and `__nv_bfloat16`: conversions, and arithmetic that is done in single precision and rounded once.
// Written from: CUDA Math API, half precision; IEEE 754.
struct __half {
    unsigned short __x;
    __half() = default;
    __device__ __half(float value) {
        unsigned short bits;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
        __x = bits;
    }
    __device__ operator float() const {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(__x));
        return value;
    }
};
typedef __half half;
inline __device__ __half __float2half(float x) { return __half(x); }
inline __device__ __half __float2half_rn(float x) { return __half(x); }
inline __device__ float __half2float(__half x) { return (float)x; }
inline __device__ __half __hadd(__half a, __half b) { return __half((float)a + (float)b); }
inline __device__ __half __hsub(__half a, __half b) { return __half((float)a - (float)b); }
inline __device__ __half __hmul(__half a, __half b) { return __half((float)a * (float)b); }
inline __device__ __half operator+(__half a, __half b) { return __hadd(a, b); }
inline __device__ __half operator-(__half a, __half b) { return __hsub(a, b); }
inline __device__ __half operator*(__half a, __half b) { return __hmul(a, b); }
inline __device__ bool __hlt(__half a, __half b) { return (float)a < (float)b; }
inline __device__ bool __hgt(__half a, __half b) { return (float)a > (float)b; }
inline __device__ bool __heq(__half a, __half b) { return (float)a == (float)b; }
