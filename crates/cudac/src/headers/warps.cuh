// Functions of the warp: shuffles, votes, matches, reductions, barriers of a warp, and lanes.
// A chunk begins with the names that it declares, and is read when one of them is used.
// Written from: CUDA C++ Programming Guide, warp functions; PTX ISA, shfl.sync, vote.sync, match.sync, redux.sync.

//: __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync
#define SHUFFLE(name, mode, T, of, clamp) \
    inline __device__ T name(unsigned mask, T value, of lane, int width = 32) { \
        unsigned result; \
        asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;" \
            : "=r"(result) : "r"(__cudac_bits(value, 0u)), "r"(lane), "r"(((32 - width) << 8) | clamp), "r"(mask)); \
        return __cudac_bits(result, T()); \
    }
#define SHUFFLE_LONG(name, mode, T, of, clamp) \
    inline __device__ T name(unsigned mask, T value, of lane, int width = 32) { \
        unsigned long long bits = __cudac_bits(value, 0ull); \
        unsigned low, high; \
        asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;" \
            : "=r"(low) : "r"((unsigned)bits), "r"(lane), "r"(((32 - width) << 8) | clamp), "r"(mask)); \
        asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;" \
            : "=r"(high) : "r"((unsigned)(bits >> 32)), "r"(lane), "r"(((32 - width) << 8) | clamp), "r"(mask)); \
        return __cudac_bits((unsigned long long)high << 32 | low, T()); \
    }
#define SHUFFLES(name, mode, of, clamp) \
    SHUFFLE(name, mode, int, of, clamp) \
    SHUFFLE(name, mode, unsigned, of, clamp) \
    SHUFFLE(name, mode, float, of, clamp) \
    SHUFFLE_LONG(name, mode, long, of, clamp) \
    SHUFFLE_LONG(name, mode, unsigned long, of, clamp) \
    SHUFFLE_LONG(name, mode, long long, of, clamp) \
    SHUFFLE_LONG(name, mode, unsigned long long, of, clamp) \
    SHUFFLE_LONG(name, mode, double, of, clamp)
SHUFFLES(__shfl_sync, "idx", int, 31)
SHUFFLES(__shfl_up_sync, "up", unsigned, 0)
SHUFFLES(__shfl_down_sync, "down", unsigned, 31)
SHUFFLES(__shfl_xor_sync, "bfly", int, 31)

//: __ballot_sync
inline __device__ unsigned __ballot_sync(unsigned mask, bool predicate) {
    unsigned result;
    asm volatile("vote.sync.ballot.b32 %0, %1, %2;" : "=r"(result) : "b"(predicate), "r"(mask));
    return result;
}

//: __any_sync
inline __device__ int __any_sync(unsigned mask, bool predicate) {
    bool result;
    asm volatile("vote.sync.any.pred %0, %1, %2;" : "=b"(result) : "b"(predicate), "r"(mask));
    return result;
}

//: __all_sync
inline __device__ int __all_sync(unsigned mask, bool predicate) {
    bool result;
    asm volatile("vote.sync.all.pred %0, %1, %2;" : "=b"(result) : "b"(predicate), "r"(mask));
    return result;
}

//: __uni_sync
inline __device__ int __uni_sync(unsigned mask, bool predicate) {
    bool result;
    asm volatile("vote.sync.uni.pred %0, %1, %2;" : "=b"(result) : "b"(predicate), "r"(mask));
    return result;
}

//: __activemask
inline __device__ unsigned __activemask() {
    unsigned result;
    asm volatile("activemask.b32 %0;" : "=r"(result));
    return result;
}

//: __match_any_sync __match_all_sync
#define MATCH(T, bits, c, zero) \
    inline __device__ unsigned __match_any_sync(unsigned mask, T value) { \
        unsigned result; \
        asm volatile("match.any.sync." bits " %0, %1, %2;" : "=r"(result) : c(__cudac_bits(value, zero)), "r"(mask)); \
        return result; \
    } \
    inline __device__ unsigned __match_all_sync(unsigned mask, T value, int* is_same) { \
        unsigned result; \
        bool all; \
        asm volatile("match.all.sync." bits " %0|%1, %2, %3;" : "=r"(result), "=b"(all) : c(__cudac_bits(value, zero)), "r"(mask)); \
        *is_same = all; \
        return result; \
    }
MATCH(int, "b32", "r", 0u)
MATCH(unsigned, "b32", "r", 0u)
MATCH(float, "b32", "r", 0u)
MATCH(long, "b64", "l", 0ull)
MATCH(unsigned long, "b64", "l", 0ull)
MATCH(long long, "b64", "l", 0ull)
MATCH(unsigned long long, "b64", "l", 0ull)
MATCH(double, "b64", "l", 0ull)

//: __reduce_add_sync __reduce_min_sync __reduce_max_sync __reduce_and_sync __reduce_or_sync __reduce_xor_sync
#define REDUCE(name, T, operation) \
    inline __device__ T name(unsigned mask, T value) { \
        T result; \
        asm volatile("redux.sync." operation " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask)); \
        return result; \
    }
REDUCE(__reduce_add_sync, int, "add.s32")
REDUCE(__reduce_add_sync, unsigned, "add.u32")
REDUCE(__reduce_min_sync, int, "min.s32")
REDUCE(__reduce_min_sync, unsigned, "min.u32")
REDUCE(__reduce_max_sync, int, "max.s32")
REDUCE(__reduce_max_sync, unsigned, "max.u32")
REDUCE(__reduce_and_sync, unsigned, "and.b32")
REDUCE(__reduce_or_sync, unsigned, "or.b32")
REDUCE(__reduce_xor_sync, unsigned, "xor.b32")

//: __syncwarp
inline __device__ void __syncwarp(unsigned mask = 0xffffffff) {
    asm volatile("bar.warp.sync %0;" : : "r"(mask) : "memory");
}

//: __lane_id
inline __device__ unsigned __lane_id() {
    unsigned result;
    asm("mov.u32 %0, %%laneid;" : "=r"(result));
    return result;
}

//: __ballot
inline __device__ unsigned __ballot(bool predicate) {
    unsigned result;
    asm volatile("vote.ballot.b32 %0, %1;" : "=r"(result) : "b"(predicate));
    return result;
}

//: __any
inline __device__ int __any(bool predicate) {
    bool result;
    asm volatile("vote.any.pred %0, %1;" : "=b"(result) : "b"(predicate));
    return result;
}

//: __all
inline __device__ int __all(bool predicate) {
    bool result;
    asm volatile("vote.all.pred %0, %1;" : "=b"(result) : "b"(predicate));
    return result;
}
