// Moving, forwarding and exchanging values, on both sides.
// Written from: C++17, [forward], [utility.swap], [meta.trans.ref].
namespace std {
template <typename T> struct remove_reference { using type = T; };
template <typename T> struct remove_reference<T&> { using type = T; };
template <typename T> struct remove_reference<T&&> { using type = T; };
template <typename T>
__host__ __device__ inline constexpr typename remove_reference<T>::type&& move(T&& value) {
    return static_cast<typename remove_reference<T>::type&&>(value);
}
template <typename T>
__host__ __device__ inline constexpr T&& forward(typename remove_reference<T>::type& value) {
    return static_cast<T&&>(value);
}
template <typename T>
__host__ __device__ inline void swap(T& a, T& b) {
    T kept = move(a);
    a = move(b);
    b = move(kept);
}
}
namespace cuda {
namespace std {
using ::std::remove_reference;
using ::std::move;
using ::std::forward;
using ::std::swap;
}
}
