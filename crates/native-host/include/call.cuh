// How host code calls the CUDA runtime: by the name of a function, with numbers.
#pragma once
extern "C" unsigned long long __lanes_call(const char* name, int count, const unsigned long long* values);
extern "C" void __lanes_at(const char* file, int line, const char* arguments);

inline unsigned long long __lanes_word(int value) { return (unsigned long long)(long long)value; }
inline unsigned long long __lanes_word(unsigned value) { return value; }
inline unsigned long long __lanes_word(long value) { return (unsigned long long)value; }
inline unsigned long long __lanes_word(unsigned long value) { return value; }
inline unsigned long long __lanes_word(long long value) { return (unsigned long long)value; }
inline unsigned long long __lanes_word(unsigned long long value) { return value; }
inline unsigned long long __lanes_word(const void* value) { return (unsigned long long)value; }
// clang 16 has no name for a function in whose type `__is_class` is written.
template <typename T> struct __lanes_class { static constexpr bool is = __is_class(T); };
template <bool> struct __lanes_if;
template <> struct __lanes_if<true> { typedef unsigned long long type; };
template <typename T>
typename __lanes_if<__lanes_class<T>::is>::type __lanes_word(const T& value) { return (unsigned long long)&value; }

template <typename... T>
unsigned long long __lanes_ask(const char* name, const T&... values) {
    const unsigned long long words[] = {__lanes_word(values)..., 0};
    return __lanes_call(name, (int)sizeof...(values), words);
}

#ifdef __CUDA__
// clang calls this one for `<<<>>>`, and `__cudaPopCallConfiguration` and `cudaLaunchKernel` of `runtime.cc`.
struct CUstream_st;
extern "C" void __lanes_configure(dim3 grid, dim3 block, size_t shared, CUstream_st* stream);
inline unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, CUstream_st* stream = 0, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    __lanes_at(file, line, "");
    __lanes_configure(grid, block, shared, stream);
    return 0;
}
#endif
