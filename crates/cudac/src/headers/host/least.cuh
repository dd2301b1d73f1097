// The least and the greatest of two values.
// Written from: C++17, [alg.min.max].
namespace std {
template <typename T>
__host__ __device__ inline constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <typename T>
__host__ __device__ inline constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <typename T, typename F>
inline const T& min(const T& a, const T& b, F less) { return less(b, a) ? b : a; }
template <typename T, typename F>
inline const T& max(const T& a, const T& b, F less) { return less(a, b) ? b : a; }
template <typename T>
__host__ __device__ inline constexpr const T& clamp(const T& value, const T& least, const T& most) {
    return value < least ? least : most < value ? most : value;
}
}
