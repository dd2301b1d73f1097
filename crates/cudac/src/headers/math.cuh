// Functions of numbers. Those that PTX has no instruction for are left out, and rejected by name.
// Written from: CUDA Math API; PTX ISA, arithmetic and conversion instructions.

//: min max
#define BOTH(T) \
    inline __device__ constexpr T min(T a, T b) { return __cudac_min(a, b); } \
    inline __device__ constexpr T max(T a, T b) { return __cudac_max(a, b); }
#define MIXED(A, B, T) \
    inline __device__ constexpr T min(A a, B b) { return __cudac_min((T)a, (T)b); } \
    inline __device__ constexpr T max(A a, B b) { return __cudac_max((T)a, (T)b); }
BOTH(int)
BOTH(unsigned)
BOTH(long)
BOTH(unsigned long)
BOTH(long long)
BOTH(unsigned long long)
BOTH(float)
BOTH(double)
MIXED(int, unsigned, unsigned)
MIXED(unsigned, int, unsigned)
MIXED(long, unsigned long, unsigned long)
MIXED(unsigned long, long, unsigned long)
MIXED(long long, unsigned long long, unsigned long long)
MIXED(unsigned long long, long long, unsigned long long)
MIXED(float, double, double)
MIXED(double, float, double)

//: umin umax llmin llmax ullmin ullmax
inline __device__ unsigned umin(unsigned a, unsigned b) { return __cudac_min(a, b); }
inline __device__ unsigned umax(unsigned a, unsigned b) { return __cudac_max(a, b); }
inline __device__ long long llmin(long long a, long long b) { return __cudac_min(a, b); }
inline __device__ long long llmax(long long a, long long b) { return __cudac_max(a, b); }
inline __device__ unsigned long long ullmin(unsigned long long a, unsigned long long b) { return __cudac_min(a, b); }
inline __device__ unsigned long long ullmax(unsigned long long a, unsigned long long b) { return __cudac_max(a, b); }

//: abs labs llabs
inline __device__ int abs(int x) { return __cudac_abs(x); }
inline __device__ long abs(long x) { return __cudac_abs(x); }
inline __device__ long long abs(long long x) { return __cudac_abs(x); }
inline __device__ float abs(float x) { return __cudac_abs(x); }
inline __device__ double abs(double x) { return __cudac_abs(x); }
inline __device__ long labs(long x) { return __cudac_abs(x); }
inline __device__ long long llabs(long long x) { return __cudac_abs(x); }

//: fabsf
inline __device__ float fabsf(float x) { return __cudac_abs(x); }
//: fabs
inline __device__ double fabs(double x) { return __cudac_abs(x); }
inline __device__ float fabs(float x) { return __cudac_abs(x); }
//: fminf
inline __device__ float fminf(float a, float b) { return __cudac_min(a, b); }
//: fmaxf
inline __device__ float fmaxf(float a, float b) { return __cudac_max(a, b); }
//: fmin
inline __device__ double fmin(double a, double b) { return __cudac_min(a, b); }
inline __device__ float fmin(float a, float b) { return __cudac_min(a, b); }
//: fmax
inline __device__ double fmax(double a, double b) { return __cudac_max(a, b); }
inline __device__ float fmax(float a, float b) { return __cudac_max(a, b); }
//: fmaf __fmaf_rn
inline __device__ float fmaf(float a, float b, float c) { return __cudac_fma(a, b, c); }
inline __device__ float __fmaf_rn(float a, float b, float c) { return __cudac_fma(a, b, c); }
//: fma __fma_rn
inline __device__ double fma(double a, double b, double c) { return __cudac_fma(a, b, c); }
inline __device__ float fma(float a, float b, float c) { return __cudac_fma(a, b, c); }
inline __device__ double __fma_rn(double a, double b, double c) { return __cudac_fma(a, b, c); }

//: __popc
inline __device__ int __popc(unsigned x) { return __cudac_popc(x); }
//: __popcll
inline __device__ int __popcll(unsigned long long x) { return __cudac_popc(x); }
//: __clz
inline __device__ int __clz(int x) { return __cudac_clz(x); }
//: __clzll
inline __device__ int __clzll(long long x) { return __cudac_clz(x); }
//: __brev
inline __device__ unsigned __brev(unsigned x) { return __cudac_brev(x); }
//: __brevll
inline __device__ unsigned long long __brevll(unsigned long long x) { return __cudac_brev(x); }
//: __ffs
inline __device__ int __ffs(int x) { return 32 - __cudac_clz(x & -x); }
//: __ffsll
inline __device__ int __ffsll(long long x) { return 64 - __cudac_clz(x & -x); }
//: __fns
inline __device__ unsigned __fns(unsigned mask, unsigned base, int offset) {
    unsigned result;
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(mask), "r"(base), "r"(offset));
    return result;
}
//: __mulhi
inline __device__ int __mulhi(int a, int b) { return __cudac_mulhi(a, b); }
//: __umulhi
inline __device__ unsigned __umulhi(unsigned a, unsigned b) { return __cudac_mulhi(a, b); }
//: __mul64hi
inline __device__ long long __mul64hi(long long a, long long b) { return __cudac_mulhi(a, b); }
//: __umul64hi
inline __device__ unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return __cudac_mulhi(a, b); }
//: __mul24
inline __device__ int __mul24(int a, int b) {
    int result;
    asm("mul24.lo.s32 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    return result;
}
//: __umul24
inline __device__ unsigned __umul24(unsigned a, unsigned b) {
    unsigned result;
    asm("mul24.lo.u32 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    return result;
}
//: __sad
inline __device__ unsigned __sad(int a, int b, unsigned c) {
    unsigned result;
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}
//: __usad
inline __device__ unsigned __usad(unsigned a, unsigned b, unsigned c) {
    unsigned result;
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}
//: __uhadd __urhadd
inline __device__ unsigned __uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
inline __device__ unsigned __urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }
//: __byte_perm
inline __device__ unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    unsigned result;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
    return result;
}
//: __funnelshift_l __funnelshift_r __funnelshift_lc __funnelshift_rc
#define FUNNEL(name, mode) \
    inline __device__ unsigned name(unsigned low, unsigned high, unsigned shift) { \
        unsigned result; \
        asm("shf." mode ".b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift)); \
        return result; \
    }
FUNNEL(__funnelshift_l, "l.wrap")
FUNNEL(__funnelshift_r, "r.wrap")
FUNNEL(__funnelshift_lc, "l.clamp")
FUNNEL(__funnelshift_rc, "r.clamp")

//: __float_as_int
inline __device__ int __float_as_int(float x) { return __cudac_bits(x, 0); }
//: __float_as_uint
inline __device__ unsigned __float_as_uint(float x) { return __cudac_bits(x, 0u); }
//: __int_as_float
inline __device__ float __int_as_float(int x) { return __cudac_bits(x, 0.0f); }
//: __uint_as_float
inline __device__ float __uint_as_float(unsigned x) { return __cudac_bits(x, 0.0f); }
//: __double_as_longlong
inline __device__ long long __double_as_longlong(double x) { return __cudac_bits(x, 0ll); }
//: __longlong_as_double
inline __device__ double __longlong_as_double(long long x) { return __cudac_bits(x, 0.0); }

//: sqrtf __fsqrt_rn
inline __device__ float sqrtf(float x) {
    float result;
    asm("sqrt.rn.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
inline __device__ float __fsqrt_rn(float x) { return sqrtf(x); }
//: sqrt
inline __device__ double sqrt(double x) {
    double result;
    asm("sqrt.rn.f64 %0, %1;" : "=d"(result) : "d"(x));
    return result;
}
inline __device__ float sqrt(float x) {
    float result;
    asm("sqrt.rn.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
//: rsqrtf
inline __device__ float rsqrtf(float x) {
    float result;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
//: floorf ceilf truncf rintf nearbyintf
#define ROUND(name, mode) \
    inline __device__ float name(float x) { \
        float result; \
        asm("cvt." mode ".f32.f32 %0, %1;" : "=f"(result) : "f"(x)); \
        return result; \
    }
ROUND(floorf, "rmi")
ROUND(ceilf, "rpi")
ROUND(truncf, "rzi")
ROUND(rintf, "rni")
ROUND(nearbyintf, "rni")
//: floor ceil trunc rint
#define ROUND(name, mode) \
    inline __device__ double name(double x) { \
        double result; \
        asm("cvt." mode ".f64.f64 %0, %1;" : "=d"(result) : "d"(x)); \
        return result; \
    } \
    inline __device__ float name(float x) { \
        float result; \
        asm("cvt." mode ".f32.f32 %0, %1;" : "=f"(result) : "f"(x)); \
        return result; \
    }
ROUND(floor, "rmi")
ROUND(ceil, "rpi")
ROUND(trunc, "rzi")
ROUND(rint, "rni")
//: __saturatef
inline __device__ float __saturatef(float x) {
    float result;
    asm("cvt.sat.f32.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
//: __sinf __cosf __tanf
inline __device__ float __sinf(float x) {
    float result;
    asm("sin.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
inline __device__ float __cosf(float x) {
    float result;
    asm("cos.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
inline __device__ float __tanf(float x) { return __sinf(x) / __cosf(x); }
//: exp2f __expf __exp10f
inline __device__ float exp2f(float x) {
    float result;
    asm("ex2.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
inline __device__ float __expf(float x) { return exp2f(x * 1.44269504088896341f); }
inline __device__ float __exp10f(float x) { return exp2f(x * 3.32192809488736235f); }
//: __log2f __logf __log10f
inline __device__ float __log2f(float x) {
    float result;
    asm("lg2.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
inline __device__ float __logf(float x) { return __log2f(x) * 0.693147180559945309f; }
inline __device__ float __log10f(float x) { return __log2f(x) * 0.301029995663981195f; }
//: __powf
inline __device__ float __powf(float x, float y) {
    float power, result;
    asm("lg2.approx.f32 %0, %1;" : "=f"(power) : "f"(x));
    asm("ex2.approx.f32 %0, %1;" : "=f"(result) : "f"(power * y));
    return result;
}
//: __fdividef
inline __device__ float __fdividef(float a, float b) {
    float result;
    asm("div.approx.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}
//: __frcp_rn __frcp_rz __frcp_ru __frcp_rd __fsqrt_rz __fsqrt_ru __fsqrt_rd
#define ROUNDED(name, operation) \
    inline __device__ float name(float x) { \
        float result; \
        asm(operation ".f32 %0, %1;" : "=f"(result) : "f"(x)); \
        return result; \
    }
ROUNDED(__frcp_rn, "rcp.rn")
ROUNDED(__frcp_rz, "rcp.rz")
ROUNDED(__frcp_ru, "rcp.rp")
ROUNDED(__frcp_rd, "rcp.rm")
ROUNDED(__fsqrt_rz, "sqrt.rz")
ROUNDED(__fsqrt_ru, "sqrt.rp")
ROUNDED(__fsqrt_rd, "sqrt.rm")
//: __drcp_rn __drcp_rz __drcp_ru __drcp_rd __dsqrt_rn __dsqrt_rz __dsqrt_ru __dsqrt_rd
#define ROUNDED(name, operation) \
    inline __device__ double name(double x) { \
        double result; \
        asm(operation ".f64 %0, %1;" : "=d"(result) : "d"(x)); \
        return result; \
    }
ROUNDED(__drcp_rn, "rcp.rn")
ROUNDED(__drcp_rz, "rcp.rz")
ROUNDED(__drcp_ru, "rcp.rp")
ROUNDED(__drcp_rd, "rcp.rm")
ROUNDED(__dsqrt_rn, "sqrt.rn")
ROUNDED(__dsqrt_rz, "sqrt.rz")
ROUNDED(__dsqrt_ru, "sqrt.rp")
ROUNDED(__dsqrt_rd, "sqrt.rm")
//: __fadd_rn __fadd_rz __fadd_ru __fadd_rd __fsub_rn __fsub_rz __fsub_ru __fsub_rd __fmul_rn __fmul_rz __fmul_ru __fmul_rd __fdiv_rn __fdiv_rz __fdiv_ru __fdiv_rd
#define ROUNDED(name, operation) \
    inline __device__ float name(float a, float b) { \
        float result; \
        asm(operation ".f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b)); \
        return result; \
    }
ROUNDED(__fadd_rn, "add.rn")
ROUNDED(__fadd_rz, "add.rz")
ROUNDED(__fadd_ru, "add.rp")
ROUNDED(__fadd_rd, "add.rm")
ROUNDED(__fsub_rn, "sub.rn")
ROUNDED(__fsub_rz, "sub.rz")
ROUNDED(__fsub_ru, "sub.rp")
ROUNDED(__fsub_rd, "sub.rm")
ROUNDED(__fmul_rn, "mul.rn")
ROUNDED(__fmul_rz, "mul.rz")
ROUNDED(__fmul_ru, "mul.rp")
ROUNDED(__fmul_rd, "mul.rm")
ROUNDED(__fdiv_rn, "div.rn")
ROUNDED(__fdiv_rz, "div.rz")
ROUNDED(__fdiv_ru, "div.rp")
ROUNDED(__fdiv_rd, "div.rm")
//: __dadd_rn __dadd_rz __dadd_ru __dadd_rd __dsub_rn __dsub_rz __dsub_ru __dsub_rd __dmul_rn __dmul_rz __dmul_ru __dmul_rd __ddiv_rn __ddiv_rz __ddiv_ru __ddiv_rd
#define ROUNDED(name, operation) \
    inline __device__ double name(double a, double b) { \
        double result; \
        asm(operation ".f64 %0, %1, %2;" : "=d"(result) : "d"(a), "d"(b)); \
        return result; \
    }
ROUNDED(__dadd_rn, "add.rn")
ROUNDED(__dadd_rz, "add.rz")
ROUNDED(__dadd_ru, "add.rp")
ROUNDED(__dadd_rd, "add.rm")
ROUNDED(__dsub_rn, "sub.rn")
ROUNDED(__dsub_rz, "sub.rz")
ROUNDED(__dsub_ru, "sub.rp")
ROUNDED(__dsub_rd, "sub.rm")
ROUNDED(__dmul_rn, "mul.rn")
ROUNDED(__dmul_rz, "mul.rz")
ROUNDED(__dmul_ru, "mul.rp")
ROUNDED(__dmul_rd, "mul.rm")
ROUNDED(__ddiv_rn, "div.rn")
ROUNDED(__ddiv_rz, "div.rz")
ROUNDED(__ddiv_ru, "div.rp")
ROUNDED(__ddiv_rd, "div.rm")
//: __int2float_rn __int2float_rz __int2float_ru __int2float_rd __uint2float_rn __uint2float_rz __uint2float_ru __uint2float_rd __ll2float_rn __ll2float_rz __ll2float_ru __ll2float_rd __ull2float_rn __ull2float_rz __ull2float_ru __ull2float_rd __float2int_rn __float2int_rz __float2int_ru __float2int_rd __float2uint_rn __float2uint_rz __float2uint_ru __float2uint_rd __float2ll_rn __float2ll_rz __float2ll_ru __float2ll_rd __float2ull_rn __float2ull_rz __float2ull_ru __float2ull_rd __double2int_rn __double2int_rz __double2int_ru __double2int_rd __double2uint_rn __double2uint_rz __double2uint_ru __double2uint_rd __double2ll_rn __double2ll_rz __double2ll_ru __double2ll_rd __double2ull_rn __double2ull_rz __double2ull_ru __double2ull_rd __double2float_rn __double2float_rz __double2float_ru __double2float_rd __ll2double_rn __ll2double_rz __ll2double_ru __ll2double_rd __ull2double_rn __ull2double_rz __ull2double_ru __ull2double_rd
#define CONVERT(name, To, From, mode, to, from) \
    inline __device__ To name(From x) { \
        To result; \
        asm("cvt." mode " %0, %1;" : to(result) : from(x)); \
        return result; \
    }
#define ROUNDINGS(name, To, From, type, to, from) \
    CONVERT(name##_rn, To, From, "rn" type, to, from) \
    CONVERT(name##_rz, To, From, "rz" type, to, from) \
    CONVERT(name##_ru, To, From, "rp" type, to, from) \
    CONVERT(name##_rd, To, From, "rm" type, to, from)
ROUNDINGS(__int2float, float, int, ".f32.s32", "=f", "r")
ROUNDINGS(__uint2float, float, unsigned, ".f32.u32", "=f", "r")
ROUNDINGS(__ll2float, float, long long, ".f32.s64", "=f", "l")
ROUNDINGS(__ull2float, float, unsigned long long, ".f32.u64", "=f", "l")
ROUNDINGS(__float2int, int, float, "i.s32.f32", "=r", "f")
ROUNDINGS(__float2uint, unsigned, float, "i.u32.f32", "=r", "f")
ROUNDINGS(__float2ll, long long, float, "i.s64.f32", "=l", "f")
ROUNDINGS(__float2ull, unsigned long long, float, "i.u64.f32", "=l", "f")
ROUNDINGS(__double2int, int, double, "i.s32.f64", "=r", "d")
ROUNDINGS(__double2uint, unsigned, double, "i.u32.f64", "=r", "d")
ROUNDINGS(__double2ll, long long, double, "i.s64.f64", "=l", "d")
ROUNDINGS(__double2ull, unsigned long long, double, "i.u64.f64", "=l", "d")
ROUNDINGS(__double2float, float, double, ".f32.f64", "=f", "d")
ROUNDINGS(__ll2double, double, long long, ".f64.s64", "=d", "l")
ROUNDINGS(__ull2double, double, unsigned long long, ".f64.u64", "=d", "l")
//: __int2double_rn
inline __device__ double __int2double_rn(int x) { return x; }
//: __uint2double_rn
inline __device__ double __uint2double_rn(unsigned x) { return x; }
//: __hiloint2double
inline __device__ double __hiloint2double(int high, int low) {
    return __cudac_bits((long long)high << 32 | (unsigned)low, 0.0);
}
//: __double2hiint
inline __device__ int __double2hiint(double x) { return (int)(__cudac_bits(x, 0ll) >> 32); }
//: __double2loint
inline __device__ int __double2loint(double x) { return (int)__cudac_bits(x, 0ll); }
//: isnan
inline __device__ bool isnan(float x) { return x != x; }
inline __device__ bool isnan(double x) { return x != x; }
//: isinf
inline __device__ bool isinf(float x) { return __cudac_abs(x) == __cudac_bits(0x7f800000u, 0.0f); }
inline __device__ bool isinf(double x) { return __cudac_abs(x) == __cudac_bits(0x7ff0000000000000, 0.0); }
