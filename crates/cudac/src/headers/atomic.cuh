// Atomic accesses with an order and a scope: `cuda::atomic_ref`, `cuda::atomic`, and fences.
// Orders and scopes have to be known when the text is compiled; a kernel that computes them is rejected.
// Written from: CUDA C++ Standard Library documentation, atomic_ref; PTX ISA, ld, st, atom, fence.
#include <cudac_utility>
namespace cuda {
enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread = 10 };
namespace std {
using cuda::memory_order;
using cuda::memory_order_relaxed;
using cuda::memory_order_consume;
using cuda::memory_order_acquire;
using cuda::memory_order_release;
using cuda::memory_order_acq_rel;
using cuda::memory_order_seq_cst;
}
#ifndef __CUDA_ARCH__
// Host code has one thread here, so every order is there already.
inline void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {}
#elif __CUDA_ARCH__ >= 700
inline __device__ void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
    if (order == memory_order_relaxed) return;
    if (order == memory_order_seq_cst) {
        if (scope == thread_scope_block) asm volatile("fence.sc.cta;" : : : "memory");
        else if (scope == thread_scope_device) asm volatile("fence.sc.gpu;" : : : "memory");
        else asm volatile("fence.sc.sys;" : : : "memory");
    } else {
        if (scope == thread_scope_block) asm volatile("fence.acq_rel.cta;" : : : "memory");
        else if (scope == thread_scope_device) asm volatile("fence.acq_rel.gpu;" : : : "memory");
        else asm volatile("fence.acq_rel.sys;" : : : "memory");
    }
}
#define ORDERED(order, scope, text_before, text_after, ...) \
    if (order == memory_order_relaxed) { \
        SCOPED(scope, text_before ".relaxed", text_after, __VA_ARGS__) \
    } else if (order == memory_order_acquire || order == memory_order_consume) { \
        SCOPED(scope, text_before ".acquire", text_after, __VA_ARGS__) \
    } else if (order == memory_order_release) { \
        SCOPED(scope, text_before ".release", text_after, __VA_ARGS__) \
    } else { \
        SCOPED(scope, text_before ".acq_rel", text_after, __VA_ARGS__) \
    }
#define SCOPED(scope, text_before, text_after, ...) \
    if (scope == thread_scope_block) asm volatile(text_before ".cta" text_after __VA_ARGS__); \
    else if (scope == thread_scope_device) asm volatile(text_before ".gpu" text_after __VA_ARGS__); \
    else asm volatile(text_before ".sys" text_after __VA_ARGS__);
#define BEFORE(order, scope) if (order == memory_order_seq_cst) atomic_thread_fence(memory_order_seq_cst, scope);
#define STRONG(order) (order == memory_order_seq_cst ? memory_order_acq_rel : order)
#else
inline __device__ void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
    if (order == memory_order_relaxed) return;
    if (scope == thread_scope_block) asm volatile("membar.cta;" : : : "memory");
    else if (scope == thread_scope_device) asm volatile("membar.gl;" : : : "memory");
    else asm volatile("membar.sys;" : : : "memory");
}
#endif

#ifndef __CUDA_ARCH__
#define LOAD(T, type, c) \
    inline T __load(const T* p, memory_order order, thread_scope scope) { return *p; } \
    inline void __store(T* p, T value, memory_order order, thread_scope scope) { *p = value; }
#define UPDATE(name, operation, T, type, c) HOST_##name(T)
#define HOST_UPDATE(name, T, made) \
    inline T name(T* p, T value, memory_order order, thread_scope scope) { T old = *p; *p = made; return old; }
#define HOST___add(T) HOST_UPDATE(__add, T, old + value)
#define HOST___exch(T) HOST_UPDATE(__exch, T, value)
#define HOST___and(T) HOST_UPDATE(__and, T, old & value)
#define HOST___or(T) HOST_UPDATE(__or, T, old | value)
#define HOST___xor(T) HOST_UPDATE(__xor, T, old ^ value)
#define HOST___min(T) HOST_UPDATE(__min, T, value < old ? value : old)
#define HOST___max(T) HOST_UPDATE(__max, T, old < value ? value : old)
#define EXCHANGE(T, type, c) \
    inline T __exchange(T* p, T compare, T value, memory_order order, thread_scope scope) { \
        T old = *p; \
        if (old == compare) *p = value; \
        return old; \
    }
#elif __CUDA_ARCH__ >= 700
#define LOAD(T, type, c) \
    inline __device__ T __load(const T* p, memory_order order, thread_scope scope) { \
        T result; \
        BEFORE(order, scope) \
        if (order == memory_order_relaxed) { SCOPED(scope, "ld.relaxed", "%s1." type " %0, %1;", : "=" c(result) : "m"(p) : "memory") } \
        else { SCOPED(scope, "ld.acquire", "%s1." type " %0, %1;", : "=" c(result) : "m"(p) : "memory") } \
        return result; \
    } \
    inline __device__ void __store(T* p, T value, memory_order order, thread_scope scope) { \
        BEFORE(order, scope) \
        if (order == memory_order_release) { SCOPED(scope, "st.release", "%s0." type " %0, %1;", : : "m"(p), c(value) : "memory") } \
        else { SCOPED(scope, "st.relaxed", "%s0." type " %0, %1;", : : "m"(p), c(value) : "memory") } \
    }
#define UPDATE(name, operation, T, type, c) \
    inline __device__ T name(T* p, T value, memory_order order, thread_scope scope) { \
        T result; \
        BEFORE(order, scope) \
        ORDERED(STRONG(order), scope, "atom", "%s1." operation "." type " %0, %1, %2;", : "=" c(result) : "m"(p), c(value) : "memory") \
        return result; \
    }
#define EXCHANGE(T, type, c) \
    inline __device__ T __exchange(T* p, T compare, T value, memory_order order, thread_scope scope) { \
        T result; \
        BEFORE(order, scope) \
        ORDERED(STRONG(order), scope, "atom", "%s1.cas." type " %0, %1, %2, %3;", : "=" c(result) : "m"(p), c(compare), c(value) : "memory") \
        return result; \
    }
#else
#define SCOPED(scope, text_before, text_after, ...) \
    if (scope == thread_scope_block) asm volatile(text_before ".cta" text_after __VA_ARGS__); \
    else if (scope == thread_scope_device) asm volatile(text_before text_after __VA_ARGS__); \
    else asm volatile(text_before ".sys" text_after __VA_ARGS__);
#define BEFORE(order, scope) \
    if (order != memory_order_relaxed && order != memory_order_acquire && order != memory_order_consume) atomic_thread_fence(order, scope);
#define AFTER(order, scope) \
    if (order != memory_order_relaxed && order != memory_order_release) atomic_thread_fence(order, scope);
#define LOAD(T, type, c) \
    inline __device__ T __load(const T* p, memory_order order, thread_scope scope) { \
        T result; \
        if (order == memory_order_seq_cst) atomic_thread_fence(order, scope); \
        asm volatile("ld.volatile%s1." type " %0, %1;" : "=" c(result) : "m"(p) : "memory"); \
        AFTER(order, scope) \
        return result; \
    } \
    inline __device__ void __store(T* p, T value, memory_order order, thread_scope scope) { \
        BEFORE(order, scope) \
        asm volatile("st.volatile%s0." type " %0, %1;" : : "m"(p), c(value) : "memory"); \
    }
#define UPDATE(name, operation, T, type, c) \
    inline __device__ T name(T* p, T value, memory_order order, thread_scope scope) { \
        T result; \
        BEFORE(order, scope) \
        SCOPED(scope, "atom", "%s1." operation "." type " %0, %1, %2;", : "=" c(result) : "m"(p), c(value) : "memory") \
        AFTER(order, scope) \
        return result; \
    }
#define EXCHANGE(T, type, c) \
    inline __device__ T __exchange(T* p, T compare, T value, memory_order order, thread_scope scope) { \
        T result; \
        BEFORE(order, scope) \
        SCOPED(scope, "atom", "%s1.cas." type " %0, %1, %2, %3;", : "=" c(result) : "m"(p), c(compare), c(value) : "memory") \
        AFTER(order, scope) \
        return result; \
    }
#endif
#define INTEGER(T, b, u, s, c) \
    LOAD(T, b, c) \
    UPDATE(__add, "add", T, u, c) \
    UPDATE(__exch, "exch", T, b, c) \
    UPDATE(__and, "and", T, b, c) \
    UPDATE(__or, "or", T, b, c) \
    UPDATE(__xor, "xor", T, b, c) \
    UPDATE(__min, "min", T, s, c) \
    UPDATE(__max, "max", T, s, c) \
    EXCHANGE(T, b, c)
INTEGER(int, "b32", "u32", "s32", "r")
INTEGER(unsigned, "b32", "u32", "u32", "r")
INTEGER(long, "b64", "u64", "s64", "l")
INTEGER(unsigned long, "b64", "u64", "u64", "l")
INTEGER(long long, "b64", "u64", "s64", "l")
INTEGER(unsigned long long, "b64", "u64", "u64", "l")
// A float is compared by its bits ([atomics.ref.float]); what PTX has no instruction for is a loop.
#define CHANGE(name, T, B, to_bits, of_bits, made) \
    inline __host__ __device__ T name(T* p, T value, memory_order order, thread_scope scope) { \
        B now = __load((B*)p, memory_order_relaxed, scope); \
        for (;;) { \
            T old = of_bits(now); \
            B seen = __exchange((B*)p, now, to_bits(made), order, scope); \
            if (seen == now) return old; \
            now = seen; \
        } \
    }
#define FLOATING(T, type, c, B, to_bits, of_bits) \
    LOAD(T, type, c) \
    UPDATE(__add, "add", T, type, c) \
    inline __host__ __device__ T __exch(T* p, T value, memory_order order, thread_scope scope) { \
        return of_bits(__exch((B*)p, to_bits(value), order, scope)); \
    } \
    inline __host__ __device__ T __exchange(T* p, T compare, T value, memory_order order, thread_scope scope) { \
        return of_bits(__exchange((B*)p, to_bits(compare), to_bits(value), order, scope)); \
    } \
    inline __host__ __device__ bool __same(T a, T b) { return to_bits(a) == to_bits(b); } \
    CHANGE(__min, T, B, to_bits, of_bits, value < old ? value : old) \
    CHANGE(__max, T, B, to_bits, of_bits, old < value ? value : old)
FLOATING(float, "f32", "f", int, __float_as_int, __int_as_float)
FLOATING(double, "f64", "d", long long, __double_as_longlong, __longlong_as_double)
template <typename T> inline __host__ __device__ bool __same(T a, T b) { return a == b; }

template <typename T, thread_scope S = thread_scope_system>
struct atomic_ref {
    T* p;
    __device__ explicit atomic_ref(T& object) : p(&object) {}
    __device__ T load(memory_order order = memory_order_seq_cst) const { return __load(p, order, S); }
    __device__ void store(T value, memory_order order = memory_order_seq_cst) const { __store(p, value, order, S); }
    __device__ operator T() const { return load(); }
    __device__ T operator=(T value) const { store(value); return value; }
    __device__ T exchange(T value, memory_order order = memory_order_seq_cst) const { return __exch(p, value, order, S); }
    __device__ bool compare_exchange_strong(T& expected, T desired, memory_order order = memory_order_seq_cst) const {
        T old = __exchange(p, expected, desired, order, S);
        bool is_same = __same(old, expected);
        expected = old;
        return is_same;
    }
    __device__ bool compare_exchange_weak(T& expected, T desired, memory_order order = memory_order_seq_cst) const {
        return compare_exchange_strong(expected, desired, order);
    }
    __device__ bool compare_exchange_strong(T& expected, T desired, memory_order success, memory_order failure) const {
        return compare_exchange_strong(expected, desired, success);
    }
    __device__ bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order failure) const {
        return compare_exchange_strong(expected, desired, success);
    }
    __device__ T fetch_add(T value, memory_order order = memory_order_seq_cst) const { return __add(p, value, order, S); }
    __device__ T fetch_sub(T value, memory_order order = memory_order_seq_cst) const { return __add(p, -value, order, S); }
    __device__ T fetch_and(T value, memory_order order = memory_order_seq_cst) const { return __and(p, value, order, S); }
    __device__ T fetch_or(T value, memory_order order = memory_order_seq_cst) const { return __or(p, value, order, S); }
    __device__ T fetch_xor(T value, memory_order order = memory_order_seq_cst) const { return __xor(p, value, order, S); }
    __device__ T fetch_min(T value, memory_order order = memory_order_seq_cst) const { return __min(p, value, order, S); }
    __device__ T fetch_max(T value, memory_order order = memory_order_seq_cst) const { return __max(p, value, order, S); }
    __device__ T operator++() const { return fetch_add(1) + 1; }
    __device__ T operator++(int) const { return fetch_add(1); }
    __device__ T operator--() const { return fetch_sub(1) - 1; }
    __device__ T operator--(int) const { return fetch_sub(1); }
    __device__ T operator+=(T value) const { return fetch_add(value) + value; }
    __device__ T operator-=(T value) const { return fetch_sub(value) - value; }
};

template <typename T, thread_scope S = thread_scope_system>
struct atomic {
    T __value;
    __device__ atomic() {}
    __device__ constexpr atomic(T value) : __value(value) {}
    __device__ atomic_ref<T, S> __ref() const { return atomic_ref<T, S>(const_cast<T&>(__value)); }
    __device__ T load(memory_order order = memory_order_seq_cst) const { return __ref().load(order); }
    __device__ void store(T value, memory_order order = memory_order_seq_cst) { __ref().store(value, order); }
    __device__ operator T() const { return load(); }
    __device__ T operator=(T value) { store(value); return value; }
    __device__ T exchange(T value, memory_order order = memory_order_seq_cst) { return __ref().exchange(value, order); }
    __device__ bool compare_exchange_strong(T& expected, T desired, memory_order order = memory_order_seq_cst) {
        return __ref().compare_exchange_strong(expected, desired, order);
    }
    __device__ bool compare_exchange_strong(T& expected, T desired, memory_order success, memory_order failure) {
        return __ref().compare_exchange_strong(expected, desired, success);
    }
    __device__ bool compare_exchange_weak(T& expected, T desired, memory_order order = memory_order_seq_cst) {
        return __ref().compare_exchange_strong(expected, desired, order);
    }
    __device__ bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order failure) {
        return __ref().compare_exchange_strong(expected, desired, success);
    }
    __device__ T fetch_add(T value, memory_order order = memory_order_seq_cst) { return __ref().fetch_add(value, order); }
    __device__ T fetch_sub(T value, memory_order order = memory_order_seq_cst) { return __ref().fetch_sub(value, order); }
    __device__ T fetch_and(T value, memory_order order = memory_order_seq_cst) { return __ref().fetch_and(value, order); }
    __device__ T fetch_or(T value, memory_order order = memory_order_seq_cst) { return __ref().fetch_or(value, order); }
    __device__ T fetch_xor(T value, memory_order order = memory_order_seq_cst) { return __ref().fetch_xor(value, order); }
    __device__ T fetch_min(T value, memory_order order = memory_order_seq_cst) { return __ref().fetch_min(value, order); }
    __device__ T fetch_max(T value, memory_order order = memory_order_seq_cst) { return __ref().fetch_max(value, order); }
    __device__ T operator++() { return fetch_add(1) + 1; }
    __device__ T operator++(int) { return fetch_add(1); }
    __device__ T operator--() { return fetch_sub(1) - 1; }
    __device__ T operator--(int) { return fetch_sub(1); }
    __device__ T operator+=(T value) { return fetch_add(value) + value; }
    __device__ T operator-=(T value) { return fetch_sub(value) - value; }
};
namespace std {
template <typename T, thread_scope S = thread_scope_system> using atomic_ref = cuda::atomic_ref<T, S>;
template <typename T, thread_scope S = thread_scope_system> using atomic = cuda::atomic<T, S>;
}
}
