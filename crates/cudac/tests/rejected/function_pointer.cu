// a pointer to a function.
__device__ void f(int (*g)(int)) {}
