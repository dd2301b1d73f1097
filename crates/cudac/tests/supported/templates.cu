// Templates of functions and types, with types and values as arguments.
template <typename T, int N> struct A { T x[N]; };
template <typename T> __device__ T f(T x) { return x; }
__global__ void k(int* x) { A<int, 4> a; a.x[1] = f(3); x[0] = a.x[1]; }
