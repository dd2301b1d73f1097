// What clang's CUDA mode expects of CUDA, before any text of a program.
#pragma once
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define __CUDA_RUNTIME_H__ 1
#define __CUDA_RUNTIME_API_H__ 1
#define __DRIVER_TYPES_H__ 1
#define CUDART_VERSION 12000
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define CUDART_CB
#define CUDARTAPI

#ifdef __CUDA__
#define __CUDACC__ 1
#define __NVCC__ 1
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__
#endif
// One variable for the compiler, as without the word. `runtime.cc` finds it by its section.
#define __managed__ __attribute__((device, section("lanes_managed"), used))
// What is ours has no lines: its instructions have those of the calls.
#define __cudac_device __attribute__((device, nodebug))
#define __cudac_both __attribute__((host, device, nodebug))
#else
// A source of plain C++ sees what is the host's.
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cudac_both
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __inline__ inline
// `__noinline__` is a word of clang's own, which the headers of the library also use in attributes.
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)

struct uint3 { unsigned x, y, z; };
struct dim3 {
    unsigned x, y, z;
    __cudac_both constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    __cudac_both constexpr dim3(uint3 from) : x(from.x), y(from.y), z(from.z) {}
    __cudac_both constexpr operator uint3() const { return uint3{x, y, z}; }
};
__cudac_both inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return uint3{x, y, z}; }

template <typename T> __cudac_both constexpr T __cudac_min(T a, T b) { return b < a ? b : a; }
template <typename T> __cudac_both constexpr T __cudac_max(T a, T b) { return a < b ? b : a; }
template <typename T> __cudac_both constexpr T __cudac_abs(T a) { return a < 0 ? -a : a; }
__cudac_both constexpr float __cudac_min(float a, float b) { return __builtin_fminf(a, b); }
__cudac_both constexpr double __cudac_min(double a, double b) { return __builtin_fmin(a, b); }
__cudac_both constexpr float __cudac_max(float a, float b) { return __builtin_fmaxf(a, b); }
__cudac_both constexpr double __cudac_max(double a, double b) { return __builtin_fmax(a, b); }
__cudac_both constexpr float __cudac_abs(float a) { return __builtin_fabsf(a); }
__cudac_both constexpr double __cudac_abs(double a) { return __builtin_fabs(a); }
__cudac_both inline float __cudac_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__cudac_both inline double __cudac_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <typename T, typename From> __cudac_both inline T __cudac_bits(From from, T) { return __builtin_bit_cast(T, from); }

#ifdef __CUDA__
#include <__clang_cuda_builtin_vars.h>
__cudac_device inline int __cudac_mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
__cudac_device inline unsigned __cudac_mulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
__cudac_device inline long long __cudac_mulhi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
__cudac_device inline unsigned long long __cudac_mulhi(unsigned long long a, unsigned long long b) { return __nvvm_mulhi_ull(a, b); }
__cudac_device inline int __cudac_clz(unsigned a) { return a == 0 ? 32 : __builtin_clz(a); }
__cudac_device inline int __cudac_clz(int a) { return __cudac_clz((unsigned)a); }
__cudac_device inline int __cudac_clz(unsigned long long a) { return a == 0 ? 64 : __builtin_clzll(a); }
__cudac_device inline int __cudac_clz(long long a) { return __cudac_clz((unsigned long long)a); }
__cudac_device inline int __cudac_popc(unsigned a) { return __builtin_popcount(a); }
__cudac_device inline int __cudac_popc(unsigned long long a) { return __builtin_popcountll(a); }
__cudac_device inline unsigned __cudac_brev(unsigned a) { return __builtin_bitreverse32(a); }
__cudac_device inline unsigned long long __cudac_brev(unsigned long long a) { return __builtin_bitreverse64(a); }
// The C library has them for the host.
extern "C" {
__cudac_device inline void* memcpy(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
__cudac_device inline void* memmove(void* to, const void* from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
__cudac_device inline void* memset(void* to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
__cudac_device inline clock_t clock() { return __nvvm_read_ptx_sreg_clock(); }
}
extern "C" {
__device__ int printf(const char*, ...);
__device__ int vprintf(const char*, const char*);
__device__ void* malloc(size_t);
__device__ void free(void*);
__device__ void __assertfail(const char* condition, const char* file, unsigned line, const char* function, size_t bytes);
__cudac_device inline void __assert_fail(const char* condition, const char* file, unsigned line, const char* function) {
    __assertfail(condition, file, line, function, 1);
}
}
#endif
