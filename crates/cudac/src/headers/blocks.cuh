// Functions of the block and of memory: barriers, fences, sleeping, clocks, loads of a kind.
// Written from: CUDA C++ Programming Guide, synchronisation functions; PTX ISA, bar, membar, nanosleep, ld, st.

//: __syncthreads
inline __device__ void __syncthreads() { asm volatile("bar.sync 0;" : : : "memory"); }

//: __syncthreads_count
inline __device__ int __syncthreads_count(bool predicate) {
    int result;
    asm volatile("bar.red.popc.u32 %0, 0, %1;" : "=r"(result) : "b"(predicate) : "memory");
    return result;
}

//: __syncthreads_and
inline __device__ int __syncthreads_and(bool predicate) {
    bool result;
    asm volatile("bar.red.and.pred %0, 0, %1;" : "=b"(result) : "b"(predicate) : "memory");
    return result;
}

//: __syncthreads_or
inline __device__ int __syncthreads_or(bool predicate) {
    bool result;
    asm volatile("bar.red.or.pred %0, 0, %1;" : "=b"(result) : "b"(predicate) : "memory");
    return result;
}

//: __threadfence
inline __device__ void __threadfence() { asm volatile("membar.gl;" : : : "memory"); }

//: __threadfence_block
inline __device__ void __threadfence_block() { asm volatile("membar.cta;" : : : "memory"); }

//: __threadfence_system
inline __device__ void __threadfence_system() { asm volatile("membar.sys;" : : : "memory"); }

//: __nanosleep
inline __device__ void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" : : "r"(ns)); }

//: __trap
inline __device__ void __trap() { asm volatile("trap;"); }

//: assert
inline __device__ void assert(bool condition) {
    if (!condition) __trap();
}

//: __brkpt
inline __device__ void __brkpt() { asm volatile("brkpt;"); }

//: clock
inline __device__ int clock() {
    int result;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(result) : : "memory");
    return result;
}

//: clock64
inline __device__ long long clock64() {
    long long result;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(result) : : "memory");
    return result;
}

//: __ldg __ldcg __ldca __ldcs __ldcv
#define LOAD(name, mode, T, type, c) \
    inline __device__ T name(const T* address) { \
        T result; \
        asm volatile("ld.global" mode "." type " %0, %1;" : c(result) : "m"(address) : "memory"); \
        return result; \
    }
#define LOADS(name, mode) \
    LOAD(name, mode, int, "u32", "=r") LOAD(name, mode, unsigned, "u32", "=r") LOAD(name, mode, float, "f32", "=f") \
    LOAD(name, mode, long long, "u64", "=l") LOAD(name, mode, unsigned long long, "u64", "=l") \
    LOAD(name, mode, long, "u64", "=l") LOAD(name, mode, unsigned long, "u64", "=l") LOAD(name, mode, double, "f64", "=d")
LOADS(__ldg, ".nc")
LOADS(__ldcg, ".cg")
LOADS(__ldca, ".ca")
LOADS(__ldcs, ".cs")
LOADS(__ldcv, ".cv")

// Of a vector, number by number.
#define LOAD_PARTS(name, T, P) \
    inline __device__ T name(const T* address) { \
        T result; \
        for (int i = 0; i < sizeof(T) / sizeof(P); i++) ((P*)&result)[i] = name((const P*)address + i); \
        return result; \
    }
#define LOADS_PARTS(name) \
    LOAD_PARTS(name, int2, int) LOAD_PARTS(name, int4, int) LOAD_PARTS(name, uint2, unsigned) LOAD_PARTS(name, uint4, unsigned) \
    LOAD_PARTS(name, float2, float) LOAD_PARTS(name, float4, float) LOAD_PARTS(name, double2, double) \
    LOAD_PARTS(name, longlong2, long long) LOAD_PARTS(name, ulonglong2, unsigned long long)
LOADS_PARTS(__ldg)
LOADS_PARTS(__ldcg)
LOADS_PARTS(__ldca)
LOADS_PARTS(__ldcs)
LOADS_PARTS(__ldcv)

//: __stwb __stcg __stcs __stwt
#define STORE(name, mode, T, type, c) \
    inline __device__ void name(T* address, T value) { \
        asm volatile("st.global" mode "." type " %0, %1;" : : "m"(address), c(value) : "memory"); \
    }
#define STORES(name, mode) \
    STORE(name, mode, int, "u32", "r") STORE(name, mode, unsigned, "u32", "r") STORE(name, mode, float, "f32", "f") \
    STORE(name, mode, long long, "u64", "l") STORE(name, mode, unsigned long long, "u64", "l") \
    STORE(name, mode, long, "u64", "l") STORE(name, mode, unsigned long, "u64", "l") STORE(name, mode, double, "f64", "d")
STORES(__stwb, ".wb")
STORES(__stcg, ".cg")
STORES(__stcs, ".cs")
STORES(__stwt, ".wt")
#define STORE_PARTS(name, T, P) \
    inline __device__ void name(T* address, T value) { \
        for (int i = 0; i < sizeof(T) / sizeof(P); i++) name((P*)address + i, ((P*)&value)[i]); \
    }
#define STORES_PARTS(name) \
    STORE_PARTS(name, int2, int) STORE_PARTS(name, int4, int) STORE_PARTS(name, uint2, unsigned) STORE_PARTS(name, uint4, unsigned) \
    STORE_PARTS(name, float2, float) STORE_PARTS(name, float4, float) STORE_PARTS(name, double2, double) \
    STORE_PARTS(name, longlong2, long long) STORE_PARTS(name, ulonglong2, unsigned long long)
STORES_PARTS(__stwb)
STORES_PARTS(__stcg)
STORES_PARTS(__stcs)
STORES_PARTS(__stwt)

//: __cvta_generic_to_shared __cvta_generic_to_global
inline __device__ unsigned long __cvta_generic_to_shared(const void* address) {
    unsigned long result;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(result) : "l"(address));
    return result;
}
inline __device__ unsigned long __cvta_generic_to_global(const void* address) {
    unsigned long result;
    asm("cvta.to.global.u64 %0, %1;" : "=l"(result) : "l"(address));
    return result;
}

//: __isShared __isGlobal __isLocal __isConstant
#define IN(name, space) \
    inline __device__ unsigned name(const void* address) { \
        bool result; \
        asm("isspacep." space " %0, %a1;" : "=b"(result) : "m"(address)); \
        return result; \
    }
IN(__isShared, "shared")
IN(__isGlobal, "global")
IN(__isLocal, "local")
IN(__isConstant, "const")

//: uint3 dim3 threadIdx blockIdx blockDim gridDim
struct uint3 { unsigned x, y, z; };
struct dim3 {
    unsigned x, y, z;
    __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __device__ operator uint3() const { return uint3{x, y, z}; }
};
inline __device__ uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return uint3{x, y, z}; }

//: size_t
typedef unsigned long size_t;

//: ptrdiff_t
typedef long ptrdiff_t;

//: clock_t
typedef long clock_t;

//: uchar
typedef unsigned char uchar;

//: ushort
typedef unsigned short ushort;

//: uint
typedef unsigned int uint;

//: ulong
typedef unsigned long ulong;

//: int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
