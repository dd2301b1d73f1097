// `cooperative_groups::memcpy_async`, and what waits for it.
// Written from: CUDA C++ Programming Guide, cooperative groups, data transfer.
#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cooperative_groups {
// Bytes up to where chunks begin, chunks, and the bytes that are left.
template <int size, typename Group>
inline __device__ void __copy_parts(const Group& group, char* to, const char* from, size_t bytes) {
    const size_t skipped = (size_t)(-(long)from & (size - 1)), before = skipped < bytes ? skipped : bytes;
    const size_t chunks = (bytes - before) / size * size;
    __own_copy_by_group<1>(group, to, from, before);
    __own_copy_by_group<size>(group, to + before, from + before, chunks);
    __own_copy_by_group<1>(group, to + (before + chunks), from + (before + chunks), bytes - before - chunks);
}
template <size_t align, typename Group>
inline __device__ void __copy_aligned(const Group& group, char* to, const char* from, size_t bytes) {
    if constexpr (align >= 4) {
        __own_copy_by_group<align < 16 ? (int)align : 16>(group, to, from, bytes);
    } else {
        const unsigned apart = (unsigned)((size_t)to ^ (size_t)from) & 15;
        if (bytes < 16 || apart & 3) __own_copy_by_group<1>(group, to, from, bytes);
        else if (apart & 4) __copy_parts<4>(group, to, from, bytes);
        else if (apart & 8) __copy_parts<8>(group, to, from, bytes);
        else __copy_parts<16>(group, to, from, bytes);
    }
    __own_commit();
}
template <typename Group, typename T, typename Size>
inline __device__ void memcpy_async(const Group& group, T* to, const T* from, const Size& bytes) {
    constexpr size_t size = cuda::__aligned<Size>::value;
    __copy_aligned<(size > 1 ? size : cuda::__aligned<T*>::value)>(group, (char*)to, (const char*)from, (size_t)bytes);
}
// As many elements as both have.
template <typename Group, typename T, typename To, typename From>
inline __device__ void memcpy_async(const Group& group, T* to, const To& to_count, const T* from, const From& from_count) {
    const size_t count = (size_t)to_count < (size_t)from_count ? (size_t)to_count : (size_t)from_count;
    constexpr size_t size = cuda::__aligned<To>::value;
    __copy_aligned<(size > 1 ? size : alignof(T))>(group, (char*)to, (const char*)from, count * sizeof(T));
}
template <unsigned N, typename Group> inline __device__ void wait_prior(const Group& group) {
    __own_wait(N);
    group.sync();
}
template <typename Group> inline __device__ void wait(const Group& group) {
    __own_wait(0);
    group.sync();
}
}
