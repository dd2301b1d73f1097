// `cuda::pipeline`: copies in stages, of a thread and of a group.
//
// A thread's own pipeline is made of groups of `cp.async`. That of a group has two barriers for each stage: one says that a
// stage is filled, the other that it may be filled again. Only this leaves out destructors, which have nothing to do here, and
// waits with a time.
// Written from: CUDA C++ Standard Library documentation, pipeline; CUDA C++ Programming Guide, asynchronous copies.
#include <cuda/barrier>
namespace cuda {
enum class pipeline_role { producer, consumer };
template <thread_scope S> struct __stage {
    barrier<S> filled, emptied;
};
template <thread_scope S, unsigned char N> struct pipeline_shared_state {
    __stage<S> __stages[N];
    unsigned __producers;
};

template <thread_scope S> struct pipeline {
    __stage<S>* __stages;
    unsigned __count, __head, __tail;
    bool __is_emptied, __is_filled;
    __device__ void producer_acquire() { __stages[__head].emptied.wait_parity(__is_emptied); }
    __device__ void producer_commit() {
        barrier<S>& filled = __stages[__head].filled;
        __defer(true, filled);
        filled.arrive();
        if (++__head == __count) __head = 0, __is_emptied = !__is_emptied;
    }
    __device__ void consumer_wait() { __stages[__tail].filled.wait_parity(__is_filled); }
    __device__ void consumer_release() {
        __stages[__tail].emptied.arrive();
        if (++__tail == __count) __tail = 0, __is_filled = !__is_filled;
    }
    __device__ bool quit() { return true; }
};
template <> struct pipeline<thread_scope_thread> {
    unsigned __head, __tail;
    __device__ void producer_acquire() {}
    __device__ void producer_commit() {
        __own_commit();
        ++__head;
    }
    __device__ void consumer_wait() {
        if (__head == __tail) return;
        __own_wait(__head - __tail - 1);
        ++__tail;
    }
    __device__ void consumer_release() {}
    __device__ bool quit() { return true; }
};

inline __device__ pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>{0, 0}; }

template <typename Group, thread_scope S, unsigned char N>
inline __device__ pipeline<S> __pipeline_of(const Group& group, pipeline_shared_state<S, N>* state, unsigned producers, unsigned consumers) {
    if (group.thread_rank() == 0) {
        for (int i = 0; i < N; i++) {
            init(&state->__stages[i].filled, producers);
            init(&state->__stages[i].emptied, consumers);
        }
    }
    group.sync();
    return pipeline<S>{state->__stages, N, 0, 0, true, false};
}
template <typename Group, thread_scope S, unsigned char N>
inline __device__ pipeline<S> make_pipeline(const Group& group, pipeline_shared_state<S, N>* state) {
    return __pipeline_of(group, state, (unsigned)group.size(), (unsigned)group.size());
}
template <typename Group, thread_scope S, unsigned char N>
inline __device__ pipeline<S> make_pipeline(const Group& group, pipeline_shared_state<S, N>* state, size_t producers) {
    return __pipeline_of(group, state, (unsigned)producers, (unsigned)(group.size() - producers));
}
template <typename Group, thread_scope S, unsigned char N>
inline __device__ pipeline<S> make_pipeline(const Group& group, pipeline_shared_state<S, N>* state, pipeline_role role) {
    if (group.thread_rank() == 0) state->__producers = 0;
    group.sync();
    if (role == pipeline_role::producer) atomicAdd(&state->__producers, 1u);
    group.sync();
    const unsigned producers = state->__producers;
    return __pipeline_of(group, state, producers, (unsigned)group.size() - producers);
}

// Waits for all stages of a thread's pipeline but the last ones.
template <unsigned char N> inline __device__ void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>& made) {
    __own_wait(N);
    made.__tail = made.__head - N;
}
template <thread_scope S>
inline __device__ void pipeline_producer_commit(pipeline<thread_scope_thread>&, barrier<S>& to_arrive) { __defer(true, to_arrive); }
// What a stage waits for is noted when it is committed.
template <thread_scope S> inline __device__ void __defer(bool, pipeline<S>&) {}
}
