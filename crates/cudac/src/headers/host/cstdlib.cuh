// Functions of C in `std`.
// Written from: C++17, [cstdlib.syn].
namespace std {
inline void* malloc(size_t bytes) { return ::malloc(bytes); }
inline void* calloc(size_t count, size_t bytes) { return ::calloc(count, bytes); }
inline void free(void* pointer) { ::free(pointer); }
inline void exit(int status) { ::exit(status); }
inline void abort() { ::abort(); }
inline int rand() { return ::rand(); }
inline void srand(unsigned seed) { ::srand(seed); }
inline int atoi(const char* text) { return ::atoi(text); }
inline double atof(const char* text) { return ::atof(text); }
}
