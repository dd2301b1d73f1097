// `cuda::barrier`, for blocks and for the device, and `cuda::memcpy_async`, whose copies it waits for.
//
// From sm_80 on, a barrier for a block in shared memory is an mbarrier. Every other barrier is a word of 64 bits for
// ordinary atomics: the upper half counts the arrivals of a phase down from zero, so that its sign is the phase, and the
// lower half has the number of threads.
// Written from: CUDA C++ Standard Library documentation, barrier; C++20, [thread.barrier]; PTX ISA, mbarrier.
#include <cuda/atomic>
#include <cudac_copies>
namespace cuda {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define TEST "mbarrier.try_wait"
#else
#define TEST "mbarrier.test_wait"
#endif
template <thread_scope S = thread_scope_system>
struct barrier {
    unsigned long long state;
    typedef unsigned long long arrival_token;
    barrier() = default;
    __device__ barrier(long long expected) { __set(expected); }
    __device__ bool __is_mbarrier() const {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
        if constexpr (S == thread_scope_block) return __isShared(&state);
#endif
        return false;
    }
    __device__ void __set(long long expected) {
        if (__is_mbarrier()) {
            asm volatile("mbarrier.init%s0.b64 %0, %1;" : : "m"(&state), "r"((int)expected) : "memory");
            return;
        }
        state = 0x8000000000000000ull - ((unsigned long long)expected << 32) | (0x80000000ull - (unsigned long long)expected);
    }
    // An arrival that is not the last one of its phase.
    __device__ void __arrive_before(int update) {
        asm volatile("{ .reg .b64 token; mbarrier.arrive.noComplete%s0.b64 token, %0, %1; }" : : "m"(&state), "r"(update) : "memory");
    }
    // So many threads arrive; so many fewer are expected from the next phase on.
    __device__ arrival_token __arrive(long long update, long long dropped) {
        unsigned long long step = ((unsigned long long)update << 32) + (unsigned long long)dropped;
        unsigned long long old = __add(&state, step, memory_order_acq_rel, S);
        if ((long long)((old + step) ^ old) < 0) __add(&state, old + step << 32, memory_order_relaxed, S);
        return old & 0x8000000000000000ull;
    }
    __device__ arrival_token arrive(long long update = 1) {
        if (!__is_mbarrier()) return __arrive(update, 0);
        arrival_token token;
        if (update > 1) __arrive_before((int)update - 1);
        asm volatile("mbarrier.arrive%s1.b64 %0, %1;" : "=l"(token) : "m"(&state) : "memory");
        return token;
    }
    __device__ void arrive_and_drop() {
        arrival_token token;
        if (__is_mbarrier()) asm volatile("mbarrier.arrive_drop%s1.b64 %0, %1;" : "=l"(token) : "m"(&state) : "memory");
        else __arrive(1, 1);
    }
    __device__ bool __is_over(arrival_token phase) const {
        bool result;
        asm volatile(TEST "%s1.b64 %0, %1, %2;" : "=b"(result) : "m"(&state), "l"(phase) : "memory");
        return result;
    }
    __device__ void wait(arrival_token phase) const {
        if (__is_mbarrier()) while (!__is_over(phase)) {}
        else while ((long long)(__load(&state, memory_order_acquire, S) ^ phase) >= 0) __nanosleep(64);
    }
    __device__ void arrive_and_wait() { wait(arrive()); }
    // Until the phase with this parity is over: the first one has 0.
    __device__ bool __is_parity_over(bool parity) const {
        bool result;
        asm volatile(TEST ".parity%s1.b64 %0, %1, %2;" : "=b"(result) : "m"(&state), "r"((unsigned)parity) : "memory");
        return result;
    }
    __device__ void wait_parity(bool parity) const {
        if (__is_mbarrier()) while (!__is_parity_over(parity)) {}
        else while ((__load(&state, memory_order_acquire, S) >> 63 != 0) == parity) __nanosleep(64);
    }
    static __host__ __device__ constexpr long long max() { return (1 << 20) - 1; }
};
#undef TEST
template <thread_scope S>
inline __device__ void init(barrier<S>* made, long long expected) { made->__set(expected); }

template <size_t N> struct aligned_size_t {
    static constexpr size_t align = N;
    size_t value;
    explicit __host__ __device__ constexpr aligned_size_t(size_t bytes) : value(bytes) {}
    __host__ __device__ constexpr operator size_t() const { return value; }
};
enum async_contract_fulfillment { none, async };
// What a size or a pointer says of the alignment.
template <typename T> struct __aligned { static constexpr size_t value = 1; };
template <size_t N> struct __aligned<aligned_size_t<N>> { static constexpr size_t value = N; };
template <typename T> struct __aligned<T*> { static constexpr size_t value = alignof(T); };
template <> struct __aligned<void*> { static constexpr size_t value = 1; };
struct __alone {
    __device__ static unsigned size() { return 1; }
    __device__ static unsigned thread_rank() { return 0; }
};
// The barrier's phase does not end before this thread's copies.
template <thread_scope S> inline __device__ void __defer(bool is_async, barrier<S>& waits) {
    if (!is_async) return;
    if (waits.__is_mbarrier()) __own_arrive_after_copies(&waits.state);
    else __own_wait(0);
}
template <typename Group, typename T, typename Size, typename Sync>
inline __device__ async_contract_fulfillment memcpy_async(const Group& group, T* to, const T* from, Size bytes, Sync& waits) {
    constexpr size_t of_size = __aligned<Size>::value, of_type = __aligned<T*>::value;
    constexpr size_t align = of_size > of_type ? of_size : of_type;
    const bool is_async = __own_copy_by_group<(align < 16 ? (int)align : 16)>(group, (char*)to, (const char*)from, (size_t)bytes);
    __defer(is_async, waits);
    return is_async ? async : none;
}
template <typename T, typename Size, typename Sync>
inline __device__ async_contract_fulfillment memcpy_async(T* to, const T* from, Size bytes, Sync& waits) {
    return memcpy_async(__alone(), to, from, bytes, waits);
}

namespace device {
inline __device__ unsigned long* barrier_native_handle(barrier<thread_scope_block>& of) { return (unsigned long*)&of.state; }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
inline __device__ void barrier_expect_tx(barrier<thread_scope_block>& of, long bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta%s0.b64 %0, %1;" : : "m"(&of.state), "r"((int)bytes) : "memory");
}
inline __device__ barrier<thread_scope_block>::arrival_token barrier_arrive_tx(barrier<thread_scope_block>& of, long arrivals, long bytes) {
    barrier_expect_tx(of, bytes);
    return of.arrive(arrivals);
}
// A bulk copy. Who calls it expects its bytes.
template <typename T, size_t N>
inline __device__ async_contract_fulfillment memcpy_async_tx(T* to, const T* from, aligned_size_t<N> bytes, barrier<thread_scope_block>& of) {
    static_assert(N >= 16, "memcpy_async_tx needs an alignment of 16");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        : : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(__cvta_generic_to_global(from)), "r"((unsigned)bytes.value),
            "r"((unsigned)__cvta_generic_to_shared(&of.state)) : "memory");
    return async;
}
namespace experimental {
// Copies of boxes of a tensor. Who calls them expects their bytes.
#define __CUDAC_TENSOR(name, opcode, from2, from3, inputs, ...) \
    inline __device__ void cp_async_bulk_tensor_##name##_global_to_shared(void* to, const CUtensorMap* map, __VA_ARGS__, barrier<thread_scope_block>& of) { \
        asm volatile("cp.async.bulk.tensor." opcode ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" from3 "}], [%2];" \
            : : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(map), "r"((unsigned)__cvta_generic_to_shared(&of.state)), inputs : "memory"); \
    } \
    inline __device__ void cp_async_bulk_tensor_##name##_shared_to_global(const CUtensorMap* map, __VA_ARGS__, const void* from) { \
        asm volatile("cp.async.bulk.tensor." opcode ".global.shared::cta.tile.bulk_group [%0, {" from2 "}], [%1];" \
            : : "l"(map), "r"((unsigned)__cvta_generic_to_shared(from)), inputs : "memory"); \
    }
#define __CUDAC_INPUTS1 "r"(c0)
#define __CUDAC_INPUTS2 __CUDAC_INPUTS1, "r"(c1)
#define __CUDAC_INPUTS3 __CUDAC_INPUTS2, "r"(c2)
#define __CUDAC_INPUTS4 __CUDAC_INPUTS3, "r"(c3)
#define __CUDAC_INPUTS5 __CUDAC_INPUTS4, "r"(c4)
__CUDAC_TENSOR(1d, "1d", "%2", "%3", __CUDAC_INPUTS1, int c0)
__CUDAC_TENSOR(2d, "2d", "%2, %3", "%3, %4", __CUDAC_INPUTS2, int c0, int c1)
__CUDAC_TENSOR(3d, "3d", "%2, %3, %4", "%3, %4, %5", __CUDAC_INPUTS3, int c0, int c1, int c2)
__CUDAC_TENSOR(4d, "4d", "%2, %3, %4, %5", "%3, %4, %5, %6", __CUDAC_INPUTS4, int c0, int c1, int c2, int c3)
__CUDAC_TENSOR(5d, "5d", "%2, %3, %4, %5, %6", "%3, %4, %5, %6, %7", __CUDAC_INPUTS5, int c0, int c1, int c2, int c3, int c4)
#undef __CUDAC_TENSOR
inline __device__ void cp_async_bulk_global_to_shared(void* to, const void* from, unsigned bytes, barrier<thread_scope_block>& of) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        : : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes),
            "r"((unsigned)__cvta_generic_to_shared(&of.state)) : "memory");
}
inline __device__ void cp_async_bulk_shared_to_global(void* to, const void* from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
        : : "l"(__cvta_generic_to_global(to)), "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
inline __device__ void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" : : : "memory"); }
template <int n> inline __device__ void cp_async_bulk_wait_group_read() { asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(n) : "memory"); }
inline __device__ void fence_proxy_async_shared_cta() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }
}
#endif
}
}
