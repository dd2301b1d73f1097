// `cuda::ptx`: barriers, bulk copies and fences of sm_90, a function for each instruction.
// Left out: changes of tensor maps, reductions of plain bytes, and what is about neither copies nor clusters.
// Written from: libcu++ documentation, cuda::ptx; PTX ISA, mbarrier, cp.async.bulk, fence.
#include <cudac_copies>
namespace cuda {
namespace ptx {
#define __CUDAC_WORD(name) \
    struct name##_t {}; \
    constexpr name##_t name{};
__CUDAC_WORD(sem_relaxed) __CUDAC_WORD(sem_acquire) __CUDAC_WORD(sem_release)
__CUDAC_WORD(scope_cta) __CUDAC_WORD(scope_cluster)
__CUDAC_WORD(space_shared) __CUDAC_WORD(space_cluster) __CUDAC_WORD(space_global)
__CUDAC_WORD(scope_gpu) __CUDAC_WORD(scope_sys)
__CUDAC_WORD(op_add) __CUDAC_WORD(op_min) __CUDAC_WORD(op_max) __CUDAC_WORD(op_inc) __CUDAC_WORD(op_dec)
__CUDAC_WORD(op_and_op) __CUDAC_WORD(op_or_op) __CUDAC_WORD(op_xor_op)
template <int n> struct n32_t {};
inline __device__ unsigned __at(const void* address) { return (unsigned)__cvta_generic_to_shared(address); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
inline __device__ void mbarrier_init(unsigned long* barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(__at(barrier)), "r"(count) : "memory");
}
inline __device__ unsigned long mbarrier_arrive(unsigned long* barrier) {
    unsigned long state;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(__at(barrier)) : "memory");
    return state;
}
inline __device__ bool mbarrier_test_wait(unsigned long* barrier, unsigned long state) {
    bool result;
    asm volatile("mbarrier.test_wait.shared::cta.b64 %0, [%1], %2;" : "=b"(result) : "r"(__at(barrier)), "l"(state) : "memory");
    return result;
}
inline __device__ bool mbarrier_test_wait_parity(unsigned long* barrier, unsigned parity) {
    bool result;
    asm volatile("mbarrier.test_wait.parity.shared::cta.b64 %0, [%1], %2;" : "=b"(result) : "r"(__at(barrier)), "r"(parity) : "memory");
    return result;
}
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
inline __device__ unsigned long mbarrier_arrive(unsigned long* barrier, unsigned count) {
    unsigned long state;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(__at(barrier)), "r"(count) : "memory");
    return state;
}
inline __device__ unsigned long mbarrier_arrive(sem_release_t, scope_cta_t, space_shared_t, unsigned long* barrier) { return mbarrier_arrive(barrier); }
inline __device__ unsigned long mbarrier_arrive(sem_release_t, scope_cta_t, space_shared_t, unsigned long* barrier, unsigned count) {
    return mbarrier_arrive(barrier, count);
}
inline __device__ unsigned long mbarrier_arrive_expect_tx(sem_release_t, scope_cta_t, space_shared_t, unsigned long* barrier, unsigned bytes) {
    unsigned long state;
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(__at(barrier)), "r"(bytes) : "memory");
    return state;
}
inline __device__ void mbarrier_expect_tx(sem_relaxed_t, scope_cta_t, space_shared_t, unsigned long* barrier, unsigned bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" : : "r"(__at(barrier)), "r"(bytes) : "memory");
}
inline __device__ bool mbarrier_try_wait(unsigned long* barrier, unsigned long state) {
    bool result;
    asm volatile("mbarrier.try_wait.shared::cta.b64 %0, [%1], %2;" : "=b"(result) : "r"(__at(barrier)), "l"(state) : "memory");
    return result;
}
inline __device__ bool mbarrier_try_wait_parity(unsigned long* barrier, unsigned parity) {
    bool result;
    asm volatile("mbarrier.try_wait.parity.shared::cta.b64 %0, [%1], %2;" : "=b"(result) : "r"(__at(barrier)), "r"(parity) : "memory");
    return result;
}
inline __device__ bool mbarrier_try_wait(sem_acquire_t, scope_cta_t, unsigned long* barrier, unsigned long state) { return mbarrier_try_wait(barrier, state); }
inline __device__ bool mbarrier_try_wait_parity(sem_acquire_t, scope_cta_t, unsigned long* barrier, unsigned parity) {
    return mbarrier_try_wait_parity(barrier, parity);
}

inline __device__ void cp_async_bulk(space_cluster_t, space_global_t, void* to, const void* from, unsigned bytes, unsigned long* barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        : : "r"(__at(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(__at(barrier)) : "memory");
}
inline __device__ void barrier_cluster_arrive() { asm volatile("barrier.cluster.arrive;" : : : "memory"); }
inline __device__ void barrier_cluster_arrive(sem_release_t) { asm volatile("barrier.cluster.arrive.release;" : : : "memory"); }
inline __device__ void barrier_cluster_arrive(sem_relaxed_t) { asm volatile("barrier.cluster.arrive.relaxed;" : : : "memory"); }
inline __device__ void barrier_cluster_wait() { asm volatile("barrier.cluster.wait;" : : : "memory"); }
inline __device__ void barrier_cluster_wait(sem_acquire_t) { asm volatile("barrier.cluster.wait.acquire;" : : : "memory"); }
inline __device__ unsigned getctarank(space_cluster_t, const void* address) {
    unsigned result;
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(result) : "r"(__at(address)));
    return result;
}
inline __device__ void mbarrier_arrive(sem_release_t, scope_cluster_t, space_cluster_t, unsigned long* barrier) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" : : "r"(__at(barrier)) : "memory");
}
inline __device__ void mbarrier_arrive(sem_release_t, scope_cluster_t, space_cluster_t, unsigned long* barrier, unsigned count) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;" : : "r"(__at(barrier)), "r"(count) : "memory");
}
inline __device__ void mbarrier_arrive_expect_tx(sem_release_t, scope_cluster_t, space_cluster_t, unsigned long* barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;"
        : : "r"(__at(barrier)), "r"(bytes) : "memory");
}
inline __device__ bool mbarrier_try_wait(sem_acquire_t, scope_cluster_t, unsigned long* barrier, unsigned long state) {
    bool result;
    asm volatile("mbarrier.try_wait.acquire.cluster.shared::cta.b64 %0, [%1], %2;" : "=b"(result) : "r"(__at(barrier)), "l"(state) : "memory");
    return result;
}
inline __device__ bool mbarrier_try_wait_parity(sem_acquire_t, scope_cluster_t, unsigned long* barrier, unsigned parity) {
    bool result;
    asm volatile("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %0, [%1], %2;" : "=b"(result) : "r"(__at(barrier)), "r"(parity) : "memory");
    return result;
}
inline __device__ void cp_async_bulk(space_cluster_t, space_global_t, void* to, const void* from, unsigned bytes, unsigned long* barrier, const unsigned short& blocks) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
        : : "r"(__at(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(__at(barrier)), "h"(blocks) : "memory");
}
#define __CUDAC_STORE(T, type, c) \
    inline __device__ void st_async(T* to, const T& value, unsigned long* barrier) { \
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes." type " [%0], %1, [%2];" \
            : : "r"(__at(to)), c(value), "r"(__at(barrier)) : "memory"); \
    }
__CUDAC_STORE(int, "s32", "r") __CUDAC_STORE(unsigned, "u32", "r") __CUDAC_STORE(float, "f32", "f")
__CUDAC_STORE(long long, "s64", "l") __CUDAC_STORE(unsigned long long, "u64", "l") __CUDAC_STORE(double, "f64", "d")
__CUDAC_STORE(long, "s64", "l") __CUDAC_STORE(unsigned long, "u64", "l")
inline __device__ void cp_async_bulk(space_cluster_t, space_shared_t, void* to, const void* from, unsigned bytes, unsigned long* barrier) {
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        : : "r"(__at(to)), "r"(__at(from)), "r"(bytes), "r"(__at(barrier)) : "memory");
}
inline __device__ void cp_async_bulk(space_global_t, space_shared_t, void* to, const void* from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
        : : "l"(__cvta_generic_to_global(to)), "r"(__at(from)), "r"(bytes) : "memory");
}
// Copies of boxes of a tensor with N dimensions. Where the coordinates are the operands from %1, %2, %3 or %4 on is what comes
// after N, and then the coordinates.
#define __CUDAC_TENSOR(N, from1, from2, from3, from4, ...) \
    inline __device__ void cp_async_bulk_tensor(space_cluster_t, space_global_t, void* to, const void* map, const int (&at)[N], unsigned long* barrier) { \
        asm volatile("cp.async.bulk.tensor." #N "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" from3 "}], [%2];" \
            : : "r"(__at(to)), "l"(map), "r"(__at(barrier)), __VA_ARGS__ : "memory"); \
    } \
    inline __device__ void cp_async_bulk_tensor(space_cluster_t, space_global_t, void* to, const void* map, const int (&at)[N], unsigned long* barrier, const unsigned short& blocks) { \
        asm volatile("cp.async.bulk.tensor." #N "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {" from4 "}], [%2], %3;" \
            : : "r"(__at(to)), "l"(map), "r"(__at(barrier)), "h"(blocks), __VA_ARGS__ : "memory"); \
    } \
    inline __device__ void cp_async_bulk_tensor(space_global_t, space_shared_t, const void* map, const int (&at)[N], const void* from) { \
        asm volatile("cp.async.bulk.tensor." #N "d.global.shared::cta.tile.bulk_group [%0, {" from2 "}], [%1];" \
            : : "l"(map), "r"(__at(from)), __VA_ARGS__ : "memory"); \
    } \
    inline __device__ void cp_async_bulk_prefetch_tensor(space_global_t, const void* map, const int (&at)[N]) { \
        asm volatile("cp.async.bulk.prefetch.tensor." #N "d.L2.global.tile [%0, {" from1 "}];" : : "l"(map), __VA_ARGS__ : "memory"); \
    } \
    __CUDAC_REDUCE(N, op_add_t, "add", from2, __VA_ARGS__) __CUDAC_REDUCE(N, op_min_t, "min", from2, __VA_ARGS__) \
    __CUDAC_REDUCE(N, op_max_t, "max", from2, __VA_ARGS__) __CUDAC_REDUCE(N, op_inc_t, "inc", from2, __VA_ARGS__) \
    __CUDAC_REDUCE(N, op_dec_t, "dec", from2, __VA_ARGS__) __CUDAC_REDUCE(N, op_and_op_t, "and", from2, __VA_ARGS__) \
    __CUDAC_REDUCE(N, op_or_op_t, "or", from2, __VA_ARGS__) __CUDAC_REDUCE(N, op_xor_op_t, "xor", from2, __VA_ARGS__)
#define __CUDAC_REDUCE(N, op, name, from2, ...) \
    inline __device__ void cp_reduce_async_bulk_tensor(space_global_t, space_shared_t, op, const void* map, const int (&at)[N], const void* from) { \
        asm volatile("cp.reduce.async.bulk.tensor." #N "d.global.shared::cta." name ".tile.bulk_group [%0, {" from2 "}], [%1];" \
            : : "l"(map), "r"(__at(from)), __VA_ARGS__ : "memory"); \
    }
__CUDAC_TENSOR(1, "%1", "%2", "%3", "%4", "r"(at[0]))
__CUDAC_TENSOR(2, "%1, %2", "%2, %3", "%3, %4", "%4, %5", "r"(at[0]), "r"(at[1]))
__CUDAC_TENSOR(3, "%1, %2, %3", "%2, %3, %4", "%3, %4, %5", "%4, %5, %6", "r"(at[0]), "r"(at[1]), "r"(at[2]))
__CUDAC_TENSOR(4, "%1, %2, %3, %4", "%2, %3, %4, %5", "%3, %4, %5, %6", "%4, %5, %6, %7", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
__CUDAC_TENSOR(5, "%1, %2, %3, %4, %5", "%2, %3, %4, %5, %6", "%3, %4, %5, %6, %7", "%4, %5, %6, %7, %8", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
#define __CUDAC_MAP_FENCE(word, scope) \
    inline __device__ void fence_proxy_tensormap_generic(sem_release_t, word) { \
        asm volatile("fence.proxy.tensormap::generic.release." scope ";" : : : "memory"); \
    } \
    inline __device__ void fence_proxy_tensormap_generic(sem_acquire_t, word, const void* map, n32_t<128>) { \
        asm volatile("fence.proxy.tensormap::generic.acquire." scope " [%0], 128;" : : "l"(map) : "memory"); \
    }
__CUDAC_MAP_FENCE(scope_cta_t, "cta") __CUDAC_MAP_FENCE(scope_cluster_t, "cluster")
__CUDAC_MAP_FENCE(scope_gpu_t, "gpu") __CUDAC_MAP_FENCE(scope_sys_t, "sys")
inline __device__ void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" : : : "memory"); }
template <int n> inline __device__ void cp_async_bulk_wait_group(n32_t<n>) { asm volatile("cp.async.bulk.wait_group %0;" : : "n"(n) : "memory"); }
template <int n> inline __device__ void cp_async_bulk_wait_group_read(n32_t<n>) { asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(n) : "memory"); }
inline __device__ void fence_proxy_async() { asm volatile("fence.proxy.async;" : : : "memory"); }
inline __device__ void fence_proxy_async(space_shared_t) { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }
inline __device__ void fence_proxy_async(space_global_t) { asm volatile("fence.proxy.async.global;" : : : "memory"); }
inline __device__ void fence_mbarrier_init(sem_release_t, scope_cluster_t) { asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); }
#endif
}
}
