// `constexpr` variables and functions, `static_assert`, `enum`, `enum class`, `if constexpr`.
constexpr int N = 4;
constexpr int f(int x) { return x * N; }
static_assert(f(2) == 8);
enum A { B = 3 };
enum class C { D };
__global__ void k(int* x) { if constexpr (f(1) == 4) x[0] = B + (int)C::D; }
