// `using`, `typedef`, namespaces and their aliases, `auto`, `decltype`.
namespace a::b { using I = int; }
namespace c = a::b;
typedef float F;
__global__ void k(int* x) { c::I i = 1; decltype(i) j = 2; auto l = i + j; F f = l; x[0] = f; }
