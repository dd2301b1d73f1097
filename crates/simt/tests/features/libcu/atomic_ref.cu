// Every operation of `cuda::atomic_ref` in every memory order it takes: 276 of them for six types, each at the default
// scope, which is the system's, and at the scope of a block.
// builds: sm_70, sm_90
//
// Each operation and order has a cell and a row of results. All threads perform it on that cell, so that what they
// got must form one chain from the first value of the cell to the last.

#include <cuda/atomic>

using cuda::memory_order;
using cuda::memory_order_acq_rel;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;
using cuda::memory_order_seq_cst;

// The operand of a thread: beyond 32 bits where the type is, and of either sign where it has one.
template <class T>
__device__ T operand(int thread) {
    T value = T(5 * thread + 3) * T(sizeof(T) == 8 ? 1ll << 33 : 1);
    return thread % 2 ? T(0) - value : value;
}

template <class T, cuda::thread_scope Scope>
struct Operations {
    using Ref = cuda::atomic_ref<T, Scope>;

    T* cell;
    T* result;
    int threads;
    int thread;

    __device__ Operations(T* cells, T* results) {
        threads = gridDim.x * blockDim.x;
        thread = blockIdx.x * blockDim.x + threadIdx.x;
        cell = cells;
        result = results + thread;
    }

    // Performs an operation on the next cell.
    template <class F>
    __device__ void one(F operation, memory_order order) {
        *result = operation(Ref(*cell), order);
        cell += 1;
        result += threads;
    }

    template <class F>
    __device__ void each_order(F operation) {
        one(operation, memory_order_relaxed);
        one(operation, memory_order_acquire);
        one(operation, memory_order_release);
        one(operation, memory_order_acq_rel);
        one(operation, memory_order_seq_cst);
    }

    __device__ void load_and_store() {
        auto load = [] (Ref cell, memory_order order) { return cell.load(order); };
        one(load, memory_order_relaxed);
        one(load, memory_order_acquire);
        one(load, memory_order_seq_cst);
        auto store = [=] (Ref cell, memory_order order) {
            cell.store(operand<T>(thread), order);
            return operand<T>(thread);
        };
        one(store, memory_order_relaxed);
        one(store, memory_order_release);
        one(store, memory_order_seq_cst);
    }

    __device__ void arithmetic() {
        T x = operand<T>(thread);
        each_order([=] (Ref cell, memory_order order) { return cell.exchange(x, order); });
        each_order([=] (Ref cell, memory_order order) {
            // Left as it is where the exchange succeeds, and what was found where it does not: the old value.
            T expected = T(thread % 4);
            cell.compare_exchange_strong(expected, T(thread % 4 + 1), order);
            return expected;
        });
        each_order([=] (Ref cell, memory_order order) { return cell.fetch_add(x, order); });
        each_order([=] (Ref cell, memory_order order) { return cell.fetch_sub(x, order); });
        each_order([=] (Ref cell, memory_order order) { return cell.fetch_min(x, order); });
        each_order([=] (Ref cell, memory_order order) { return cell.fetch_max(x, order); });
    }

    __device__ void bitwise() {
        T x = operand<T>(thread);
        each_order([=] (Ref cell, memory_order order) { return cell.fetch_and(x, order); });
        each_order([=] (Ref cell, memory_order order) { return cell.fetch_or(x, order); });
        each_order([=] (Ref cell, memory_order order) { return cell.fetch_xor(x, order); });
    }
};

#define INTEGER(name, T, scope)                                            \
    extern "C" __global__ void name(T* cells, T* results) {                \
        Operations<T, cuda::scope> operations(cells, results);             \
        operations.load_and_store();                                       \
        operations.arithmetic();                                           \
        operations.bitwise();                                              \
    }

#define FLOATING(name, T, scope)                                           \
    extern "C" __global__ void name(T* cells, T* results) {                \
        Operations<T, cuda::scope> operations(cells, results);             \
        operations.load_and_store();                                       \
        operations.arithmetic();                                           \
    }

INTEGER(int_system, int, thread_scope_system)
INTEGER(int_block, int, thread_scope_block)
INTEGER(unsigned_system, unsigned, thread_scope_system)
INTEGER(unsigned_block, unsigned, thread_scope_block)
INTEGER(long_system, long long, thread_scope_system)
INTEGER(long_block, long long, thread_scope_block)
INTEGER(unsigned_long_system, unsigned long long, thread_scope_system)
INTEGER(unsigned_long_block, unsigned long long, thread_scope_block)
FLOATING(float_system, float, thread_scope_system)
FLOATING(float_block, float, thread_scope_block)
FLOATING(double_system, double, thread_scope_system)
FLOATING(double_block, double, thread_scope_block)
