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

//: __ldg __ldcg __ldca __ldcs __ldcv __ldlu
// A small number is in a register of 32 bits.
#define LOAD(name, mode, T, R, type, c) \
    inline __device__ T name(const T* address) { \
        R x; \
        asm volatile("ld.global" mode "." type " %0, %1;" : c(x) : "m"(address) : "memory"); \
        return (T)x; \
    }
#define LOAD2(name, mode, T, R, type, c) \
    inline __device__ T name(const T* address) { \
        R x, y; \
        asm volatile("ld.global" mode ".v2." type " {%0, %1}, %2;" : c(x), c(y) : "m"(address) : "memory"); \
        T result; \
        result.x = x, result.y = y; \
        return result; \
    }
#define LOAD4(name, mode, T, R, type, c) \
    inline __device__ T name(const T* address) { \
        R x, y, z, w; \
        asm volatile("ld.global" mode ".v4." type " {%0, %1, %2, %3}, %4;" \
            : c(x), c(y), c(z), c(w) : "m"(address) : "memory"); \
        T result; \
        result.x = x, result.y = y, result.z = z, result.w = w; \
        return result; \
    }
#define LOADS(name, mode) \
    LOAD(name, mode, char, int, "s8", "=r") LOAD(name, mode, signed char, int, "s8", "=r") \
    LOAD(name, mode, unsigned char, unsigned, "u8", "=r") LOAD(name, mode, short, int, "s16", "=r") \
    LOAD(name, mode, unsigned short, unsigned, "u16", "=r") LOAD(name, mode, int, int, "u32", "=r") \
    LOAD(name, mode, unsigned, unsigned, "u32", "=r") LOAD(name, mode, float, float, "f32", "=f") \
    LOAD(name, mode, long long, long long, "u64", "=l") LOAD(name, mode, unsigned long long, unsigned long long, "u64", "=l") \
    LOAD(name, mode, long, long, "u64", "=l") LOAD(name, mode, unsigned long, unsigned long, "u64", "=l") \
    LOAD(name, mode, double, double, "f64", "=d") \
    LOAD2(name, mode, char2, int, "s8", "=r") LOAD4(name, mode, char4, int, "s8", "=r") \
    LOAD2(name, mode, uchar2, unsigned, "u8", "=r") LOAD4(name, mode, uchar4, unsigned, "u8", "=r") \
    LOAD2(name, mode, short2, int, "s16", "=r") LOAD4(name, mode, short4, int, "s16", "=r") \
    LOAD2(name, mode, ushort2, unsigned, "u16", "=r") LOAD4(name, mode, ushort4, unsigned, "u16", "=r") \
    LOAD2(name, mode, int2, int, "u32", "=r") LOAD4(name, mode, int4, int, "u32", "=r") \
    LOAD2(name, mode, uint2, unsigned, "u32", "=r") LOAD4(name, mode, uint4, unsigned, "u32", "=r") \
    LOAD2(name, mode, float2, float, "f32", "=f") LOAD4(name, mode, float4, float, "f32", "=f") \
    LOAD2(name, mode, longlong2, long long, "u64", "=l") LOAD2(name, mode, ulonglong2, unsigned long long, "u64", "=l") \
    LOAD2(name, mode, double2, double, "f64", "=d")
LOADS(__ldg, ".nc")
LOADS(__ldcg, ".cg")
LOADS(__ldca, ".ca")
LOADS(__ldcs, ".cs")
LOADS(__ldcv, ".cv")
LOADS(__ldlu, ".lu")

//: __stwb __stcg __stcs __stwt
#define STORE(name, mode, T, R, type, c) \
    inline __device__ void name(T* address, T value) { \
        asm volatile("st.global" mode "." type " %0, %1;" : : "m"(address), c((R)value) : "memory"); \
    }
#define STORE2(name, mode, T, R, type, c) \
    inline __device__ void name(T* address, T value) { \
        asm volatile("st.global" mode ".v2." type " %0, {%1, %2};" \
            : : "m"(address), c((R)value.x), c((R)value.y) : "memory"); \
    }
#define STORE4(name, mode, T, R, type, c) \
    inline __device__ void name(T* address, T value) { \
        asm volatile("st.global" mode ".v4." type " %0, {%1, %2, %3, %4};" \
            : : "m"(address), c((R)value.x), c((R)value.y), c((R)value.z), c((R)value.w) : "memory"); \
    }
#define STORES(name, mode) \
    STORE(name, mode, char, int, "s8", "r") STORE(name, mode, signed char, int, "s8", "r") \
    STORE(name, mode, unsigned char, unsigned, "u8", "r") STORE(name, mode, short, int, "s16", "r") \
    STORE(name, mode, unsigned short, unsigned, "u16", "r") STORE(name, mode, int, int, "u32", "r") \
    STORE(name, mode, unsigned, unsigned, "u32", "r") STORE(name, mode, float, float, "f32", "f") \
    STORE(name, mode, long long, long long, "u64", "l") STORE(name, mode, unsigned long long, unsigned long long, "u64", "l") \
    STORE(name, mode, long, long, "u64", "l") STORE(name, mode, unsigned long, unsigned long, "u64", "l") \
    STORE(name, mode, double, double, "f64", "d") \
    STORE2(name, mode, char2, int, "s8", "r") STORE4(name, mode, char4, int, "s8", "r") \
    STORE2(name, mode, uchar2, unsigned, "u8", "r") STORE4(name, mode, uchar4, unsigned, "u8", "r") \
    STORE2(name, mode, short2, int, "s16", "r") STORE4(name, mode, short4, int, "s16", "r") \
    STORE2(name, mode, ushort2, unsigned, "u16", "r") STORE4(name, mode, ushort4, unsigned, "u16", "r") \
    STORE2(name, mode, int2, int, "u32", "r") STORE4(name, mode, int4, int, "u32", "r") \
    STORE2(name, mode, uint2, unsigned, "u32", "r") STORE4(name, mode, uint4, unsigned, "u32", "r") \
    STORE2(name, mode, float2, float, "f32", "f") STORE4(name, mode, float4, float, "f32", "f") \
    STORE2(name, mode, longlong2, long long, "u64", "l") STORE2(name, mode, ulonglong2, unsigned long long, "u64", "l") \
    STORE2(name, mode, double2, double, "f64", "d")
STORES(__stwb, ".wb")
STORES(__stcg, ".cg")
STORES(__stcs, ".cs")
STORES(__stwt, ".wt")

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

//: __clusterDimIsSpecified __clusterDim __clusterRelativeBlockIdx __clusterGridDimInClusters __clusterIdx __clusterRelativeBlockRank __clusterSizeInBlocks
#define CLUSTER_SIZES(name, register) \
    inline __device__ dim3 name() { \
        unsigned x, y, z; \
        asm("mov.u32 %0, %%" register ".x;" : "=r"(x)); \
        asm("mov.u32 %0, %%" register ".y;" : "=r"(y)); \
        asm("mov.u32 %0, %%" register ".z;" : "=r"(z)); \
        return dim3(x, y, z); \
    }
CLUSTER_SIZES(__clusterDim, "cluster_nctaid")
CLUSTER_SIZES(__clusterRelativeBlockIdx, "cluster_ctaid")
CLUSTER_SIZES(__clusterGridDimInClusters, "nclusterid")
CLUSTER_SIZES(__clusterIdx, "clusterid")
inline __device__ unsigned __clusterRelativeBlockRank() {
    unsigned result;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(result));
    return result;
}
inline __device__ unsigned __clusterSizeInBlocks() {
    unsigned result;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(result));
    return result;
}
inline __device__ unsigned __clusterDimIsSpecified() {
    bool result;
    asm("mov.pred %0, %%is_explicit_cluster;" : "=b"(result));
    return result;
}

//: __cluster_barrier_arrive __cluster_barrier_arrive_relaxed __cluster_barrier_wait __threadfence_cluster
inline __device__ void __cluster_barrier_arrive() { asm volatile("barrier.cluster.arrive;" : : : "memory"); }
inline __device__ void __cluster_barrier_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed;" : : : "memory"); }
inline __device__ void __cluster_barrier_wait() { asm volatile("barrier.cluster.wait;" : : : "memory"); }
inline __device__ void __threadfence_cluster() { asm volatile("fence.acq_rel.cluster;" : : : "memory"); }

//: __cluster_query_shared_rank __cluster_map_shared_rank
inline __device__ unsigned __cluster_query_shared_rank(const void* address) {
    unsigned result;
    asm("getctarank.u64 %0, %1;" : "=r"(result) : "l"(address));
    return result;
}
inline __device__ void* __cluster_map_shared_rank(const void* address, unsigned rank) {
    void* result;
    asm("mapa.u64 %0, %1, %2;" : "=l"(result) : "l"(address), "r"(rank));
    return result;
}
