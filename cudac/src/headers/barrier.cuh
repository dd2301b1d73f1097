// `cuda::barrier`, for blocks and for the device.
//
// A word of 64 bits: the upper half counts the arrivals of a phase down from zero, whose sign is the phase, and the
// lower half has the number of threads. Below sm_80 there is no instruction for barriers, so ordinary atomics do it.
// Written from: CUDA C++ Standard Library documentation, barrier; C++20, [thread.barrier].
#include <cuda/atomic>
namespace cuda {
template <thread_scope S = thread_scope_system>
struct barrier {
    unsigned long long state;
    typedef unsigned long long arrival_token;
    barrier() = default;
    __device__ barrier(long long expected) { __set(expected); }
    __device__ void __set(long long expected) {
        state = 0x8000000000000000ull - ((unsigned long long)expected << 32) | (0x80000000ull - (unsigned long long)expected);
    }
    __device__ arrival_token arrive(long long update = 1) {
        unsigned long long step = (unsigned long long)update << 32;
        unsigned long long old = __add(&state, step, memory_order_acq_rel, S);
        if ((long long)((old + step) ^ old) < 0) __add(&state, old << 32, memory_order_relaxed, S);
        return old & 0x8000000000000000ull;
    }
    __device__ void wait(arrival_token phase) const {
        while ((long long)(__load(&state, memory_order_acquire, S) ^ phase) >= 0) __nanosleep(64);
    }
    __device__ void arrive_and_wait() { wait(arrive()); }
};
template <thread_scope S>
inline __device__ void init(barrier<S>* made, long long expected) { made->__set(expected); }
}
