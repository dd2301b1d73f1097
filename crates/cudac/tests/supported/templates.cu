// Templates of functions, types and constants, with types and values as arguments, and questions about types (`type_traits`).
#include <type_traits>
template <typename T, int N> struct A { T x[N]; };
template <typename T> __device__ T f(T x) { return x; }
template <typename T> constexpr int size = std::is_same_v<T, int> ? 4 : 8;
__global__ void k(int* x) { A<int, size<int>> a; a.x[1] = f(3); x[0] = a.x[1]; }
