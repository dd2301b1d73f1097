// a template with any number of arguments.
template <typename... T> __device__ void f(T... x) {}
