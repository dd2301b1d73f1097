// Atomic functions.
// Written from: CUDA C++ Programming Guide, atomic functions; PTX ISA, atom.

//: atomicAdd atomicAdd_block atomicAdd_system
#define ATOMIC(name, scope, T, type, c) \
    inline __device__ T name(T* address, T value) { \
        T old; \
        asm volatile("atom" scope "%s1.add." type " %0, %1, %2;" : "=" c(old) : "m"(address), c(value) : "memory"); \
        return old; \
    }
#define ATOMICS(name, scope) \
    ATOMIC(name, scope, int, "u32", "r") \
    ATOMIC(name, scope, unsigned, "u32", "r") \
    ATOMIC(name, scope, unsigned long long, "u64", "l") \
    ATOMIC(name, scope, float, "f32", "f") \
    ATOMIC(name, scope, double, "f64", "d")
ATOMICS(atomicAdd, "")
ATOMICS(atomicAdd_block, ".cta")
ATOMICS(atomicAdd_system, ".sys")

//: atomicSub atomicSub_block atomicSub_system
#define ATOMIC(name, scope, T) \
    inline __device__ T name(T* address, T value) { \
        T old; \
        asm volatile("atom" scope "%s1.add.u32 %0, %1, %2;" : "=r"(old) : "m"(address), "r"(-value) : "memory"); \
        return old; \
    }
#define ATOMICS(name, scope) \
    ATOMIC(name, scope, int) \
    ATOMIC(name, scope, unsigned)
ATOMICS(atomicSub, "")
ATOMICS(atomicSub_block, ".cta")
ATOMICS(atomicSub_system, ".sys")

//: atomicExch atomicExch_block atomicExch_system
#define ATOMIC(name, scope, T, type, c) \
    inline __device__ T name(T* address, T value) { \
        T old; \
        asm volatile("atom" scope "%s1.exch." type " %0, %1, %2;" : "=" c(old) : "m"(address), c(value) : "memory"); \
        return old; \
    }
#define ATOMICS(name, scope) \
    ATOMIC(name, scope, int, "b32", "r") \
    ATOMIC(name, scope, unsigned, "b32", "r") \
    ATOMIC(name, scope, unsigned long long, "b64", "l") \
    inline __device__ float name(float* address, float value) { \
        return __cudac_bits(name((unsigned*)address, __cudac_bits(value, 0u)), 0.0f); \
    }
ATOMICS(atomicExch, "")
ATOMICS(atomicExch_block, ".cta")
ATOMICS(atomicExch_system, ".sys")

//: atomicMin atomicMax atomicMin_block atomicMax_block atomicMin_system atomicMax_system
#define ATOMIC(name, operation, scope, T, type, c) \
    inline __device__ T name(T* address, T value) { \
        T old; \
        asm volatile("atom" scope "%s1." operation "." type " %0, %1, %2;" : "=" c(old) : "m"(address), c(value) : "memory"); \
        return old; \
    }
#define ATOMICS(name, operation, scope) \
    ATOMIC(name, operation, scope, int, "s32", "r") \
    ATOMIC(name, operation, scope, unsigned, "u32", "r") \
    ATOMIC(name, operation, scope, long long, "s64", "l") \
    ATOMIC(name, operation, scope, unsigned long long, "u64", "l")
ATOMICS(atomicMin, "min", "")
ATOMICS(atomicMax, "max", "")
ATOMICS(atomicMin_block, "min", ".cta")
ATOMICS(atomicMax_block, "max", ".cta")
ATOMICS(atomicMin_system, "min", ".sys")
ATOMICS(atomicMax_system, "max", ".sys")

//: atomicAnd atomicOr atomicXor atomicAnd_block atomicOr_block atomicXor_block atomicAnd_system atomicOr_system atomicXor_system
#define ATOMIC(name, scope, operation, T, type, c) \
    inline __device__ T name(T* address, T value) { \
        T old; \
        asm volatile("atom" scope "%s1." operation "." type " %0, %1, %2;" : "=" c(old) : "m"(address), c(value) : "memory"); \
        return old; \
    }
#define ATOMICS(name, scope, operation) \
    ATOMIC(name, scope, operation, int, "b32", "r") \
    ATOMIC(name, scope, operation, unsigned, "b32", "r") \
    ATOMIC(name, scope, operation, unsigned long long, "b64", "l")
ATOMICS(atomicAnd, "", "and")
ATOMICS(atomicAnd_block, ".cta", "and")
ATOMICS(atomicAnd_system, ".sys", "and")
ATOMICS(atomicOr, "", "or")
ATOMICS(atomicOr_block, ".cta", "or")
ATOMICS(atomicOr_system, ".sys", "or")
ATOMICS(atomicXor, "", "xor")
ATOMICS(atomicXor_block, ".cta", "xor")
ATOMICS(atomicXor_system, ".sys", "xor")

//: atomicInc atomicDec atomicInc_block atomicDec_block atomicInc_system atomicDec_system
#define ATOMIC(name, scope, operation) \
    inline __device__ unsigned name(unsigned* address, unsigned most) { \
        unsigned old; \
        asm volatile("atom" scope "%s1." operation ".u32 %0, %1, %2;" : "=r"(old) : "m"(address), "r"(most) : "memory"); \
        return old; \
    }
ATOMIC(atomicInc, "", "inc")
ATOMIC(atomicInc_block, ".cta", "inc")
ATOMIC(atomicInc_system, ".sys", "inc")
ATOMIC(atomicDec, "", "dec")
ATOMIC(atomicDec_block, ".cta", "dec")
ATOMIC(atomicDec_system, ".sys", "dec")

//: atomicCAS atomicCAS_block atomicCAS_system
#define ATOMIC(name, scope, T, type, c) \
    inline __device__ T name(T* address, T compare, T value) { \
        T old; \
        asm volatile("atom" scope "%s1.cas." type " %0, %1, %2, %3;" \
            : "=" c(old) : "m"(address), c(compare), c(value) : "memory"); \
        return old; \
    }
#define ATOMICS(name, scope) \
    ATOMIC(name, scope, int, "b32", "r") \
    ATOMIC(name, scope, unsigned, "b32", "r") \
    ATOMIC(name, scope, unsigned short, "b16", "h") \
    ATOMIC(name, scope, unsigned long long, "b64", "l")
ATOMICS(atomicCAS, "")
ATOMICS(atomicCAS_block, ".cta")
ATOMICS(atomicCAS_system, ".sys")
