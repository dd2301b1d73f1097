// `cuda::barrier`, for blocks and for the device.
//
// From sm_80 on, a barrier for a block in shared memory is an mbarrier. Every other barrier is a word of 64 bits for
// ordinary atomics: the upper half counts the arrivals of a phase down from zero, so that its sign is the phase, and the
// lower half has the number of threads.
// Written from: CUDA C++ Standard Library documentation, barrier; C++20, [thread.barrier]; PTX ISA, mbarrier.
#include <cuda/atomic>
namespace cuda {
#if __CUDA_ARCH__ >= 900
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
#if __CUDA_ARCH__ >= 800
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
};
#undef TEST
template <thread_scope S>
inline __device__ void init(barrier<S>* made, long long expected) { made->__set(expected); }
}
