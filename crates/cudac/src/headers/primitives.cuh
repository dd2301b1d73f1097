// `__pipeline_…` and `__mbarrier_…`: asynchronous copies and barriers as plain functions, and `nvcuda::experimental::pipeline`.
// Written from: CUDA C++ Programming Guide, pipeline primitives, memory barrier primitives; PTX ISA, mbarrier.
#include <cudac_copies>
typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

inline __device__ void __pipeline_memcpy_async(void* to, const void* from, size_t size, size_t zeros = 0) {
    const int bytes = (int)(size - zeros);
    if (size == 16) __own_copy<16>(to, from, bytes);
    else if (size == 8) __own_copy<8>(to, from, bytes);
    else if (size == 4) __own_copy<4>(to, from, bytes);
    else __trap();
}
inline __device__ void __pipeline_commit() { __own_commit(); }
inline __device__ void __pipeline_wait_prior(size_t prior) { __own_wait(prior); }

#if __CUDA_ARCH__ >= 800
inline __device__ void __pipeline_arrive_on(__mbarrier_t* barrier) { __own_arrive_after_copies(barrier); }
inline __device__ void __mbarrier_init(__mbarrier_t* barrier, unsigned count) {
    asm volatile("mbarrier.init%s0.b64 %0, %1;" : : "m"(barrier), "r"(count) : "memory");
}
inline __device__ void __mbarrier_inval(__mbarrier_t* barrier) {
    asm volatile("mbarrier.inval%s0.b64 %0;" : : "m"(barrier) : "memory");
}
inline __device__ __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) {
    __mbarrier_token_t token;
    asm volatile("mbarrier.arrive%s1.b64 %0, %1;" : "=l"(token) : "m"(barrier) : "memory");
    return token;
}
inline __device__ __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) {
    __mbarrier_token_t token;
    asm volatile("mbarrier.arrive_drop%s1.b64 %0, %1;" : "=l"(token) : "m"(barrier) : "memory");
    return token;
}
inline __device__ bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
    bool result;
    asm volatile("mbarrier.test_wait%s1.b64 %0, %1, %2;" : "=b"(result) : "m"(barrier), "l"(token) : "memory");
    return result;
}
inline __device__ bool __mbarrier_test_wait_parity(__mbarrier_t* barrier, bool parity) {
    bool result;
    asm volatile("mbarrier.test_wait.parity%s1.b64 %0, %1, %2;" : "=b"(result) : "m"(barrier), "r"((unsigned)parity) : "memory");
    return result;
}
inline __device__ unsigned __mbarrier_token_pending_count(__mbarrier_token_t token) {
    unsigned count;
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
    return count;
}
#endif

namespace nvcuda {
namespace experimental {
class pipeline {
    size_t __committed;
public:
    __device__ pipeline() : __committed(0) {}
    __device__ size_t commit() {
        __own_commit();
        return __committed++;
    }
    __device__ void commit_and_wait() {
        commit();
        __own_wait(0);
    }
    __device__ void wait(size_t batch) { __own_wait(__committed > batch ? __committed - batch : 0); }
    template <unsigned N> __device__ void wait_prior() { __own_wait(N); }
    template <typename Barrier> __device__ void arrive_on(Barrier& barrier) { __own_arrive_after_copies(&barrier); }
};
template <typename T> inline __device__ void memcpy_async(T& to, const T& from, pipeline&) {
    if constexpr (sizeof(T) == alignof(T) && sizeof(T) >= 4 && sizeof(T) <= 16) __own_copy<sizeof(T)>(&to, &from, sizeof(T));
    else to = from;
}
}
}
