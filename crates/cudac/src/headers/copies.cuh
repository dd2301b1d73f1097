// Copies from global to shared memory that go on while the thread does: `cp.async`. What other headers make of them is there.
// Below sm_80, and between other kinds of memory, a thread copies itself, as with NVIDIA's headers.
// Written from: PTX ISA, cp.async.

// The types that are copied at once, by their sizes.
template <int bytes> struct __own_chunk;
template <> struct __own_chunk<1> { typedef unsigned char type; };
template <> struct __own_chunk<2> { typedef unsigned short type; };
template <> struct __own_chunk<4> { typedef unsigned type; };
template <> struct __own_chunk<8> { typedef uint2 type; };
template <> struct __own_chunk<16> { typedef uint4 type; };

#if __CUDA_ARCH__ >= 800
#define __CUDAC_COPY(mode, size) \
    asm volatile("cp.async." mode ".shared.global [%0], [%1], " size ", %2;" \
        : : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes) : "memory");
// Copies so many bytes; the rest up to `size` becomes 0.
template <int size> inline __device__ void __own_copy(void* to, const void* from, int bytes) {
    if constexpr (size == 16) __CUDAC_COPY("cg", "16")
    else if constexpr (size == 8) __CUDAC_COPY("ca", "8")
    else __CUDAC_COPY("ca", "4")
}
inline __device__ void __own_commit() { asm volatile("cp.async.commit_group;" : : : "memory"); }
#define __CUDAC_WAIT(prior) case prior: asm volatile("cp.async.wait_group " #prior ";" : : : "memory"); return;
// Waits for all groups of copies but the last ones. That many can be told apart.
inline __device__ void __own_wait(size_t prior) {
    switch (prior) {
        __CUDAC_WAIT(0) __CUDAC_WAIT(1) __CUDAC_WAIT(2) __CUDAC_WAIT(3) __CUDAC_WAIT(4) __CUDAC_WAIT(5) __CUDAC_WAIT(6) __CUDAC_WAIT(7)
    }
    asm volatile("cp.async.wait_group 8;" : : : "memory");
}
// An arrival at an mbarrier once the thread's copies are done; another one is expected for it.
inline __device__ void __own_arrive_after_copies(void* barrier) {
    asm volatile("cp.async.mbarrier.arrive%s0.b64 %0;" : : "m"(barrier) : "memory");
}
#else
template <int size> inline __device__ void __own_copy(void* to, const void* from, int bytes) {
    typedef typename __own_chunk<size>::type chunk;
    if (bytes == size) *(chunk*)to = *(const chunk*)from;
    else for (int i = 0; i < size; i++) ((char*)to)[i] = i < bytes ? ((const char*)from)[i] : (char)0;
}
inline __device__ void __own_commit() {}
inline __device__ void __own_wait(size_t) {}
inline __device__ void __own_arrive_after_copies(void*) {}
#endif

// A group's threads copy chunks of so many bytes; whether these are asynchronous copies.
template <int size, typename Group>
inline __device__ bool __own_copy_by_group(const Group& group, char* to, const char* from, size_t bytes) {
    typedef typename __own_chunk<size>::type chunk;
    const size_t first = (size_t)group.thread_rank() * size, step = (size_t)group.size() * size;
    if constexpr (size >= 4) {
        if (__isShared(to) && __isGlobal(from)) {
            for (size_t at = first; at < bytes; at += step) __own_copy<size>(to + at, from + at, size);
            return true;
        }
    }
    for (size_t at = first; at < bytes; at += step) *(chunk*)(to + at) = *(const chunk*)(from + at);
    return false;
}
