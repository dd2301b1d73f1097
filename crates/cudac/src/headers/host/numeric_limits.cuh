// The limits of the types of numbers.
// Written from: C++17, [numeric.limits].
#include <limits.h>
namespace std {
template <typename T>
struct numeric_limits;
#define __CUDAC_LIMITS(type, least, most, count, sign, whole, step) \
    template <> struct numeric_limits<type> { \
        static constexpr bool is_specialized = true, is_signed = sign, is_integer = whole, has_infinity = !whole; \
        static constexpr int digits = count; \
        static constexpr type min() { return least; } \
        static constexpr type max() { return most; } \
        static constexpr type lowest() { return whole ? least : (type)(-(most)); } \
        static constexpr type epsilon() { return step; } \
        static constexpr type infinity() { return (type)(whole ? 0 : __CUDAC_INFINITY); } \
        static constexpr type quiet_NaN() { return (type)(whole ? 0 : __CUDAC_INFINITY - __CUDAC_INFINITY); } \
    };
#define __CUDAC_INFINITY 1e999
__CUDAC_LIMITS(bool, false, true, 1, false, true, false)
__CUDAC_LIMITS(char, -128, 127, 7, true, true, 0)
__CUDAC_LIMITS(signed char, -128, 127, 7, true, true, 0)
__CUDAC_LIMITS(unsigned char, 0, 255, 8, false, true, 0)
__CUDAC_LIMITS(short, -32768, 32767, 15, true, true, 0)
__CUDAC_LIMITS(unsigned short, 0, 65535, 16, false, true, 0)
__CUDAC_LIMITS(int, -2147483647 - 1, 2147483647, 31, true, true, 0)
__CUDAC_LIMITS(unsigned, 0u, 4294967295u, 32, false, true, 0)
__CUDAC_LIMITS(long, -9223372036854775807l - 1, 9223372036854775807l, 63, true, true, 0)
__CUDAC_LIMITS(unsigned long, 0ul, 18446744073709551615ul, 64, false, true, 0)
__CUDAC_LIMITS(long long, -9223372036854775807ll - 1, 9223372036854775807ll, 63, true, true, 0)
__CUDAC_LIMITS(unsigned long long, 0ull, 18446744073709551615ull, 64, false, true, 0)
__CUDAC_LIMITS(float, 1.17549435e-38f, 3.40282347e+38f, 24, true, false, 1.1920929e-7f)
__CUDAC_LIMITS(double, 2.2250738585072014e-308, 1.7976931348623157e+308, 53, true, false, 2.2204460492503131e-16)
}
