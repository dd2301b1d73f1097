// `__half`, `__nv_bfloat16` and pairs of them: arithmetic that is done in single precision and rounded again, which has
// the result of one operation, except for `__hfma`. One text for both, because they share the macros.
// Written from: CUDA Math API, half precision and bfloat16 precision; IEEE 754.
#ifndef __CUDA_ARCH__
// The host has no instructions for halves: the bits of the nearest one, and the value. NaN has the bits that the GPU gives it.
inline __device__ unsigned short __half_bits(float value) {
    const unsigned bits = __float_as_uint(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000) return 0x7fff;
    if (rest >= 0x477ff000) return (unsigned short)(sign | 0x7c00);
    // Below the smallest normal number the unit is 2^-24, which is that of the sum with 0.5.
    if (rest < 0x38800000) return (unsigned short)(sign | (__float_as_uint(__uint_as_float(rest) + 0.5f) - 0x3f000000));
    return (unsigned short)(sign | ((rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13));
}
inline __device__ float __half_value(unsigned short half) {
    const unsigned sign = (unsigned)(half & 0x8000) << 16, rest = half & 0x7fff;
    if (rest >= 0x7c00) return __uint_as_float(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest < 0x400) return __uint_as_float(__float_as_uint((float)rest * 5.9604644775390625e-8f) | sign);
    return __uint_as_float(sign | ((rest << 13) + 0x38000000));
}
#endif
struct __half {
    unsigned short __x;
    __half() = default;
    __device__ __half(float value) {
#ifdef __CUDA_ARCH__
        unsigned short bits;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
        __x = bits;
#else
        __x = __half_bits(value);
#endif
    }
    __device__ operator float() const {
#ifdef __CUDA_ARCH__
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(__x));
        return value;
#else
        return __half_value(__x);
#endif
    }
};
typedef __half half;
inline __device__ __half __float2half(float x) { return __half(x); }
inline __device__ __half __float2half_rn(float x) { return __half(x); }
inline __device__ float __half2float(__half x) { return (float)x; }
inline __device__ unsigned short __half_as_ushort(__half x) { return x.__x; }
inline __device__ short __half_as_short(__half x) { return (short)x.__x; }
inline __device__ __half __ushort_as_half(unsigned short x) { __half made; made.__x = x; return made; }
inline __device__ __half __int2half_rn(int x) { return __half((float)x); }
inline __device__ __half hsqrt(__half x) { return __half(sqrtf((float)x)); }
inline __device__ __half __hfma(__half a, __half b, __half c) {
    __half made;
    unsigned short bits;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(bits) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    made.__x = bits;
    return made;
}

#define __CUDAC_OPERATOR(H, name, sign) \
    inline __device__ H name(H a, H b) { return H((float)a sign (float)b); } \
    inline __device__ H operator sign(H a, H b) { return name(a, b); } \
    inline __device__ H& operator sign##=(H& a, H b) { a = name(a, b); return a; }
#define __CUDAC_COMPARISON(H, name, sign) \
    inline __device__ bool name(H a, H b) { return (float)a sign (float)b; } \
    inline __device__ bool operator sign(H a, H b) { return name(a, b); }
#define __CUDAC_PAIR(H2, name, single) \
    inline __device__ H2 name(H2 a, H2 b) { return H2(single(a.x, b.x), single(a.y, b.y)); }
#define __CUDAC_PAIR_OPERATOR(H2, name, single, sign) \
    __CUDAC_PAIR(H2, name, single) \
    inline __device__ H2 operator sign(H2 a, H2 b) { return name(a, b); } \
    inline __device__ H2& operator sign##=(H2& a, H2 b) { a = name(a, b); return a; }
#define __CUDAC_SHUFFLE(H, H2, name, of) \
    inline __device__ H name(unsigned mask, H value, of lane, int width = 32) { \
        value.__x = (unsigned short)name(mask, (unsigned)value.__x, lane, width); \
        return value; \
    } \
    inline __device__ H2 name(unsigned mask, H2 value, of lane, int width = 32) { \
        const unsigned both = name(mask, (unsigned)value.x.__x | (unsigned)value.y.__x << 16, lane, width); \
        value.x.__x = (unsigned short)both; \
        value.y.__x = (unsigned short)(both >> 16); \
        return value; \
    }
#define __CUDAC_HALVES(H, H2) \
    __CUDAC_OPERATOR(H, __hadd, +) \
    __CUDAC_OPERATOR(H, __hsub, -) \
    __CUDAC_OPERATOR(H, __hmul, *) \
    __CUDAC_OPERATOR(H, __hdiv, /) \
    __CUDAC_COMPARISON(H, __heq, ==) \
    __CUDAC_COMPARISON(H, __hne, !=) \
    __CUDAC_COMPARISON(H, __hlt, <) \
    __CUDAC_COMPARISON(H, __hle, <=) \
    __CUDAC_COMPARISON(H, __hgt, >) \
    __CUDAC_COMPARISON(H, __hge, >=) \
    inline __device__ H __hneg(H a) { a.__x = (unsigned short)(a.__x ^ 0x8000); return a; } \
    inline __device__ H __habs(H a) { a.__x = (unsigned short)(a.__x & 0x7fff); return a; } \
    inline __device__ H operator-(H a) { return __hneg(a); } \
    inline __device__ H __hmin(H a, H b) { return H(fminf((float)a, (float)b)); } \
    inline __device__ H __hmax(H a, H b) { return H(fmaxf((float)a, (float)b)); } \
    struct __align__(4) H2 { \
        H x, y; \
        H2() = default; \
        __device__ H2(H x, H y) : x(x), y(y) {} \
    }; \
    __CUDAC_PAIR_OPERATOR(H2, __hadd2, __hadd, +) \
    __CUDAC_PAIR_OPERATOR(H2, __hsub2, __hsub, -) \
    __CUDAC_PAIR_OPERATOR(H2, __hmul2, __hmul, *) \
    __CUDAC_PAIR_OPERATOR(H2, __h2div, __hdiv, /) \
    __CUDAC_PAIR(H2, __hmin2, __hmin) \
    __CUDAC_PAIR(H2, __hmax2, __hmax) \
    inline __device__ H2 __hneg2(H2 a) { return H2(__hneg(a.x), __hneg(a.y)); } \
    inline __device__ H2 __habs2(H2 a) { return H2(__habs(a.x), __habs(a.y)); } \
    inline __device__ H2 __hfma2(H2 a, H2 b, H2 c) { return H2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); } \
    inline __device__ float __low2float(H2 a) { return (float)a.x; } \
    inline __device__ float __high2float(H2 a) { return (float)a.y; } \
    __CUDAC_SHUFFLE(H, H2, __shfl_sync, int) \
    __CUDAC_SHUFFLE(H, H2, __shfl_up_sync, unsigned) \
    __CUDAC_SHUFFLE(H, H2, __shfl_down_sync, unsigned) \
    __CUDAC_SHUFFLE(H, H2, __shfl_xor_sync, int)
__CUDAC_HALVES(__half, __half2)

typedef __half2 half2;
inline __device__ __half2 make_half2(__half x, __half y) { return __half2(x, y); }
inline __device__ __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
inline __device__ __half2 __half2half2(__half x) { return __half2(x, x); }
inline __device__ __half2 __float2half2_rn(float x) { return __half2(__half(x), __half(x)); }
inline __device__ __half2 __floats2half2_rn(float x, float y) { return __half2(__half(x), __half(y)); }
inline __device__ __half2 __float22half2_rn(float2 x) { return __half2(__half(x.x), __half(x.y)); }
inline __device__ float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }
inline __device__ __half __low2half(__half2 a) { return a.x; }
inline __device__ __half __high2half(__half2 a) { return a.y; }
inline __device__ __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
inline __device__ __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
inline __device__ __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }

// The upper half of a `float`.
struct __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __device__ __nv_bfloat16(float value) {
        unsigned bits = __float_as_uint(value);
        // To the nearest; if there are two, to the even one.
        __x = value != value ? 0x7fff : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
    __device__ operator float() const { return __uint_as_float((unsigned)__x << 16); }
};
typedef __nv_bfloat16 nv_bfloat16;
inline __device__ __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
inline __device__ __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
inline __device__ float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
inline __device__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.__x; }
inline __device__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { __nv_bfloat16 made; made.__x = x; return made; }
// The last bit of the sum says whether something was lost, so that rounding it again is like rounding the exact sum.
inline __device__ __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    float sum, below, above;
    asm("fma.rz.f32 %0, %1, %2, %3;" : "=f"(sum) : "f"((float)a), "f"((float)b), "f"((float)c));
    asm("fma.rm.f32 %0, %1, %2, %3;" : "=f"(below) : "f"((float)a), "f"((float)b), "f"((float)c));
    asm("fma.rp.f32 %0, %1, %2, %3;" : "=f"(above) : "f"((float)a), "f"((float)b), "f"((float)c));
    return __nv_bfloat16(__uint_as_float(__float_as_uint(sum) | (unsigned)(below != above)));
}
__CUDAC_HALVES(__nv_bfloat16, __nv_bfloat162)
typedef __nv_bfloat162 nv_bfloat162;
inline __device__ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
inline __device__ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return __nv_bfloat162(x, x); }
inline __device__ __nv_bfloat162 __float2bfloat162_rn(float x) { return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(x)); }
inline __device__ __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(y)); }
inline __device__ __nv_bfloat162 __float22bfloat162_rn(float2 x) { return __nv_bfloat162(__nv_bfloat16(x.x), __nv_bfloat16(x.y)); }
inline __device__ float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2((float)a.x, (float)a.y); }

#define __CUDAC_LOAD(H, H2, name) \
    inline __device__ H name(const H* address) { H made; made.__x = name((const unsigned short*)address); return made; } \
    inline __device__ H2 name(const H2* address) { return __own_pair((const H2*)0, name((const unsigned*)address)); }
#define __CUDAC_STORE(H, H2, name) \
    inline __device__ void name(H* address, H value) { name((unsigned short*)address, value.__x); } \
    inline __device__ void name(H2* address, H2 value) { name((unsigned*)address, __own_bits(value)); }
// The sum of two halves is computed as outside of memory, and stored unless another thread was faster. What is read first
// is read as an atomic does it, because others may be storing there.
#define __CUDAC_MEMORY(H, H2) \
    inline __device__ unsigned __own_bits(H2 a) { return (unsigned)a.x.__x | (unsigned)a.y.__x << 16; } \
    inline __device__ H2 __own_pair(const H2*, unsigned bits) { \
        H2 made; \
        made.x.__x = (unsigned short)bits; \
        made.y.__x = (unsigned short)(bits >> 16); \
        return made; \
    } \
    __CUDAC_LOAD(H, H2, __ldg) \
    __CUDAC_LOAD(H, H2, __ldcg) \
    __CUDAC_LOAD(H, H2, __ldca) \
    __CUDAC_LOAD(H, H2, __ldcs) \
    __CUDAC_LOAD(H, H2, __ldcv) \
    __CUDAC_LOAD(H, H2, __ldlu) \
    __CUDAC_STORE(H, H2, __stwb) \
    __CUDAC_STORE(H, H2, __stcg) \
    __CUDAC_STORE(H, H2, __stcs) \
    __CUDAC_STORE(H, H2, __stwt) \
    inline __device__ H atomicAdd(H* address, H value) { \
        H old, sum; \
        unsigned short* bits = (unsigned short*)address; \
        unsigned short seen = atomicCAS(bits, (unsigned short)0, (unsigned short)0), expected; \
        do { \
            expected = seen; \
            old.__x = expected; \
            sum = old + value; \
            seen = atomicCAS(bits, expected, sum.__x); \
        } while (seen != expected); \
        return old; \
    } \
    inline __device__ H2 atomicAdd(H2* address, H2 value) { \
        H2 old; \
        unsigned seen = atomicCAS((unsigned*)address, 0u, 0u), expected; \
        do { \
            expected = seen; \
            old = __own_pair((const H2*)0, expected); \
            seen = atomicCAS((unsigned*)address, expected, __own_bits(old + value)); \
        } while (seen != expected); \
        return old; \
    }
__CUDAC_MEMORY(__half, __half2)
__CUDAC_MEMORY(__nv_bfloat16, __nv_bfloat162)
