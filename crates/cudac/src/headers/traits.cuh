// Questions about types, and types made from types, on both sides. A trait has `value` or `type`, and is no object: this
// compiler has no inheritance, so `true_type` and `is_same<int, int>` are two types.
// Written from: C++17, [meta].
namespace std {
template <typename T, T v> struct integral_constant {
    static constexpr T value = v;
    using value_type = T;
    using type = integral_constant;
    __host__ __device__ constexpr operator T() const { return v; }
    __host__ __device__ constexpr T operator()() const { return v; }
};
template <bool v> using bool_constant = integral_constant<bool, v>;
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;

template <bool is, typename T, typename U> struct conditional { using type = T; };
template <typename T, typename U> struct conditional<false, T, U> { using type = U; };
template <bool is, typename T, typename U> using conditional_t = typename conditional<is, T, U>::type;
template <bool is, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { using type = T; };
template <bool is, typename T = void> using enable_if_t = typename enable_if<is, T>::type;

#define __CUDAC_CHANGE(name, from, to) \
    template <typename T> struct name { using type = T; }; \
    template <typename T> struct name<from> { using type = to; }; \
    template <typename T> using name##_t = typename name<T>::type;
__CUDAC_CHANGE(remove_const, const T, T)
__CUDAC_CHANGE(remove_volatile, volatile T, T)
__CUDAC_CHANGE(remove_pointer, T*, T)
template <typename T> using remove_reference_t = typename remove_reference<T>::type;
template <typename T> struct remove_cv { using type = typename remove_const<typename remove_volatile<T>::type>::type; };
template <typename T> using remove_cv_t = typename remove_cv<T>::type;
template <typename T> struct decay { using type = typename remove_cv<typename remove_reference<T>::type>::type; };
template <typename T> using decay_t = typename decay<T>::type;
template <typename T> struct add_const { using type = const T; };
template <typename T> using add_const_t = const T;
template <typename T> struct add_pointer { using type = typename remove_reference<T>::type*; };
template <typename T> using add_pointer_t = typename add_pointer<T>::type;

// A trait that holds for some types, and its short form.
#define __CUDAC_TRAIT(name) \
    template <typename T> struct name { \
        static constexpr bool value = __##name<typename remove_cv<T>::type>::value; \
        __host__ __device__ constexpr operator bool() const { return value; } \
    }; \
    template <typename T> constexpr bool name##_v = name<T>::value;
#define __CUDAC_NO(name) template <typename T> struct name { static constexpr bool value = false; };
#define __CUDAC_YES(name, type) template <> struct name<type> { static constexpr bool value = true; };
#define __CUDAC_SIGNED(name) \
    __CUDAC_YES(name, signed char) __CUDAC_YES(name, short) __CUDAC_YES(name, int) __CUDAC_YES(name, long) __CUDAC_YES(name, long long)
#define __CUDAC_UNSIGNED(name) \
    __CUDAC_YES(name, bool) __CUDAC_YES(name, unsigned char) __CUDAC_YES(name, unsigned short) __CUDAC_YES(name, unsigned) \
    __CUDAC_YES(name, unsigned long) __CUDAC_YES(name, unsigned long long)
#define __CUDAC_FLOATS(name) __CUDAC_YES(name, float) __CUDAC_YES(name, double)
__CUDAC_NO(__is_integral) __CUDAC_SIGNED(__is_integral) __CUDAC_UNSIGNED(__is_integral) __CUDAC_YES(__is_integral, char)
__CUDAC_NO(__is_floating_point) __CUDAC_FLOATS(__is_floating_point)
__CUDAC_NO(__is_signed) __CUDAC_SIGNED(__is_signed) __CUDAC_FLOATS(__is_signed) __CUDAC_YES(__is_signed, char)
__CUDAC_NO(__is_unsigned) __CUDAC_UNSIGNED(__is_unsigned)
__CUDAC_NO(__is_void) __CUDAC_YES(__is_void, void)
__CUDAC_NO(__is_pointer)
template <typename T> struct __is_pointer<T*> { static constexpr bool value = true; };
template <typename T> struct __is_arithmetic { static constexpr bool value = __is_integral<T>::value || __is_floating_point<T>::value; };
__CUDAC_TRAIT(is_integral)
__CUDAC_TRAIT(is_floating_point)
__CUDAC_TRAIT(is_arithmetic)
__CUDAC_TRAIT(is_signed)
__CUDAC_TRAIT(is_unsigned)
__CUDAC_TRAIT(is_void)
__CUDAC_TRAIT(is_pointer)

// Those that look at `const` and references, and at two types.
#define __CUDAC_WHOLE(name, ...) \
    template <typename T> struct name { static constexpr bool value = false; }; \
    template <typename T> struct name<__VA_ARGS__> { static constexpr bool value = true; }; \
    template <typename T> constexpr bool name##_v = name<T>::value;
__CUDAC_WHOLE(is_const, const T)
__CUDAC_WHOLE(is_volatile, volatile T)
__CUDAC_WHOLE(is_lvalue_reference, T&)
__CUDAC_WHOLE(is_rvalue_reference, T&&)
template <typename T> struct is_reference { static constexpr bool value = is_lvalue_reference<T>::value || is_rvalue_reference<T>::value; };
template <typename T> constexpr bool is_reference_v = is_reference<T>::value;
template <typename T, typename U> struct is_same {
    static constexpr bool value = false;
    __host__ __device__ constexpr operator bool() const { return value; }
};
template <typename T> struct is_same<T, T> {
    static constexpr bool value = true;
    __host__ __device__ constexpr operator bool() const { return value; }
};
template <typename T, typename U> constexpr bool is_same_v = is_same<T, U>::value;

// The type of the same size with or without a sign.
template <typename T> struct make_unsigned { using type = T; };
template <typename T> struct make_signed { using type = T; };
#define __CUDAC_SIGN(name, from, to) template <> struct name<from> { using type = to; };
__CUDAC_SIGN(make_unsigned, char, unsigned char)
__CUDAC_SIGN(make_unsigned, signed char, unsigned char)
__CUDAC_SIGN(make_unsigned, short, unsigned short)
__CUDAC_SIGN(make_unsigned, int, unsigned)
__CUDAC_SIGN(make_unsigned, long, unsigned long)
__CUDAC_SIGN(make_unsigned, long long, unsigned long long)
__CUDAC_SIGN(make_signed, char, signed char)
__CUDAC_SIGN(make_signed, unsigned char, signed char)
__CUDAC_SIGN(make_signed, unsigned short, short)
__CUDAC_SIGN(make_signed, unsigned, int)
__CUDAC_SIGN(make_signed, unsigned long, long)
__CUDAC_SIGN(make_signed, unsigned long long, long long)
template <typename T> using make_unsigned_t = typename make_unsigned<T>::type;
template <typename T> using make_signed_t = typename make_signed<T>::type;
}
namespace cuda {
namespace std {
using namespace ::std;
}
}
