// Functions of C in `std`.
// Written from: C++17, [cstring.syn], [cstdlib.syn].
namespace std {
__host__ __device__ inline void* memset(void* to, int value, size_t bytes) { return ::memset(to, value, bytes); }
__host__ __device__ inline void* memcpy(void* to, const void* from, size_t bytes) { return ::memcpy(to, from, bytes); }
inline void* memmove(void* to, const void* from, size_t bytes) { return ::memmove(to, from, bytes); }
inline int memcmp(const void* a, const void* b, size_t bytes) { return ::memcmp(a, b, bytes); }
inline size_t strlen(const char* text) { return ::strlen(text); }
inline int strcmp(const char* a, const char* b) { return ::strcmp(a, b); }
}
