// The types of sizes and distances in `std`, which any header of C++ may declare.
// Written from: C++17, [cstddef.syn].
namespace std {
typedef unsigned long size_t;
typedef long ptrdiff_t;
}
