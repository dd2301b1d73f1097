// Special cases of templates, and instances that the text asks for.
template <typename T> struct A { static constexpr int n = 1; };
template <> struct A<float> { static constexpr int n = 2; };
template <typename T> struct A<T*> { static constexpr int n = 3; };
template <typename T> __device__ T f(T x) { return x; }
template <> __device__ int f(int x) { return x + A<int*>::n; }
template <typename T> __global__ void k(T* x) { x[0] = f(x[1]); }
template __global__ void k<int>(int* x);
