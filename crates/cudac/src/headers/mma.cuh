// `nvcuda::wmma`: products of small matrices by a warp, made of `mma.sync` and of ordinary loads and stores.
//
// CUDA leaves open which lane has which element of a fragment. Here a fragment has the registers of `mma.sync`, and a
// product is one instruction for each 16 by 8 of its elements (8 by 8 of `double` and of 4 bits) over all of k, as NVIDIA's
// assembler makes it for sm_80 and sm_90. So sums round as they do there. Of 8 rows and 32 columns, the transposed
// product is made.
// Left out: single bits.
// Written from: CUDA C++ Programming Guide, warp matrix functions; PTX ISA, mma, cvt.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error mma.h needs compute capability 8.0 here: compile for sm_80 or newer
#endif
#include <cuda_fp16.h>
namespace nvcuda {
namespace wmma {
enum layout_t { mem_row_major, mem_col_major };
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
namespace precision {
struct tf32 {};
}
namespace experimental {
namespace precision {
struct s4 {};
struct u4 {};
}
}

// How elements are kept: the type of `x` and of memory (where four bits are loaded from anything), how many of `x` are a register,
// how many elements are one of `x`, and how often each is there. CUDA has halves twice, which `num_elements` shows.
template <typename T> struct __kept {
    typedef T type, memory;
    static constexpr int in_word = 1, packed = 1, copies = 1;
};
template <> struct __kept<__half> {
    typedef __half type, memory;
    static constexpr int in_word = 2, packed = 1, copies = 2;
};
template <> struct __kept<__nv_bfloat16> {
    typedef __nv_bfloat16 type, memory;
    static constexpr int in_word = 2, packed = 1, copies = 1;
};
template <> struct __kept<signed char> {
    typedef signed char type, memory;
    static constexpr int in_word = 4, packed = 1, copies = 1;
};
template <> struct __kept<unsigned char> {
    typedef unsigned char type, memory;
    static constexpr int in_word = 4, packed = 1, copies = 1;
};
template <> struct __kept<precision::tf32> {
    typedef float type, memory;
    static constexpr int in_word = 1, packed = 1, copies = 1;
};
template <> struct __kept<experimental::precision::s4> {
    typedef int type;
    typedef void memory;
    static constexpr int in_word = 1, packed = 8, copies = 1;
};
template <> struct __kept<experimental::precision::u4> {
    typedef unsigned type;
    typedef void memory;
    static constexpr int in_word = 1, packed = 8, copies = 1;
};

// An operand has `size` rows or columns, and tiles of 16 (of `mma`'s A) or of 8 (of its B).
#define __CUDAC_OPERAND(size, wide) \
    typedef T element_type; \
    typedef typename __kept<T>::type storage_element_type; \
    static constexpr int num_elements = size * k / 32 * __kept<T>::copies; \
    static constexpr int num_storage_elements = num_elements / __kept<T>::packed; \
    static constexpr bool __is_wide = wide; \
    storage_element_type x[num_storage_elements];
template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment;
template <int m, int n, int k, typename T, typename Layout> class fragment<matrix_a, m, n, k, T, Layout> {
public:
    __CUDAC_OPERAND(m, m >= 16)
};
template <int m, int n, int k, typename T, typename Layout> class fragment<matrix_b, m, n, k, T, Layout> {
public:
    __CUDAC_OPERAND(n, m == 8 && n == 32)
};
template <int m, int n, int k, typename T> class fragment<accumulator, m, n, k, T, void> {
public:
    typedef T element_type;
    typedef T storage_element_type;
    static constexpr int num_elements = m * n / 32;
    static constexpr int num_storage_elements = num_elements;
    T x[num_elements];
};

inline __device__ unsigned __lane() {
    unsigned result;
    asm("mov.u32 %0, %%laneid;" : "=r"(result));
    return result;
}

// A register's elements, and back.
inline __device__ unsigned __word(const __half* x) { return (unsigned)x[0].__x | (unsigned)x[1].__x << 16; }
inline __device__ unsigned __word(const __nv_bfloat16* x) { return (unsigned)x[0].__x | (unsigned)x[1].__x << 16; }
inline __device__ unsigned __word(const unsigned char* x) {
    return (unsigned)x[0] | (unsigned)x[1] << 8 | (unsigned)x[2] << 16 | (unsigned)x[3] << 24;
}
inline __device__ unsigned __word(const signed char* x) {
    return (unsigned)x[0] & 255 | ((unsigned)x[1] & 255) << 8 | ((unsigned)x[2] & 255) << 16 | (unsigned)x[3] << 24;
}
inline __device__ unsigned __word(const float* x) { return __float_as_uint(*x); }
inline __device__ unsigned __word(const int* x) { return (unsigned)*x; }
inline __device__ unsigned __word(const unsigned* x) { return *x; }
inline __device__ void __unpack(__half* x, unsigned word) {
    x[0].__x = (unsigned short)word;
    x[1].__x = (unsigned short)(word >> 16);
}
inline __device__ void __unpack(__nv_bfloat16* x, unsigned word) {
    x[0].__x = (unsigned short)word;
    x[1].__x = (unsigned short)(word >> 16);
}
inline __device__ void __unpack(unsigned char* x, unsigned word) {
    x[0] = (unsigned char)word;
    x[1] = (unsigned char)(word >> 8);
    x[2] = (unsigned char)(word >> 16);
    x[3] = (unsigned char)(word >> 24);
}
inline __device__ void __unpack(signed char* x, unsigned word) {
    x[0] = (signed char)word;
    x[1] = (signed char)(word >> 8);
    x[2] = (signed char)(word >> 16);
    x[3] = (signed char)(word >> 24);
}

// Loads an operand with elements that follow each other along the sum (`is_along`) or across it. `ldm` counts in elements of `p`.
template <bool is_along, int k, typename F, typename S>
inline __device__ void __load(F& to, const S* p, unsigned ldm) {
    typedef __kept<typename F::element_type> kept;
    constexpr int in_word = kept::in_word, inner = k / kept::packed;
    constexpr int of_tile = F::__is_wide ? inner / 2 : inner / 4;
    constexpr int count = F::num_storage_elements / kept::copies;
    ldm /= kept::packed;
    const unsigned group = __lane() / 4, within = __lane() % 4 * in_word;
#pragma unroll
    for (int i = 0; i < count; i += in_word) {
        const int word = i % of_tile / in_word;
        const unsigned across = group + (F::__is_wide ? i / of_tile * 16 + word % 2 * 8 : i / of_tile * 8);
        const unsigned along = within + 4 * in_word * (F::__is_wide ? word / 2 : word);
        if constexpr (is_along && in_word > 1) {
            __unpack(to.x + i, *(const unsigned*)(p + (across * ldm + along)));
        } else {
#pragma unroll
            for (int j = 0; j < in_word; j++) to.x[i + j] = p[is_along ? across * ldm + along + j : (along + j) * ldm + across];
        }
    }
    if constexpr (kept::copies == 2) {
#pragma unroll
        for (int i = 0; i < count; i++) to.x[count + i] = to.x[i];
    }
}
template <int m, int n, int k, typename T>
inline __device__ void load_matrix_sync(fragment<matrix_a, m, n, k, T, row_major>& a, const typename __kept<T>::memory* p, unsigned ldm) {
    __syncwarp();
    __load<true, k>(a, (const typename __kept<T>::type*)p, ldm);
}
template <int m, int n, int k, typename T>
inline __device__ void load_matrix_sync(fragment<matrix_a, m, n, k, T, col_major>& a, const typename __kept<T>::memory* p, unsigned ldm) {
    __syncwarp();
    __load<false, k>(a, (const typename __kept<T>::type*)p, ldm);
}
template <int m, int n, int k, typename T>
inline __device__ void load_matrix_sync(fragment<matrix_b, m, n, k, T, row_major>& b, const typename __kept<T>::memory* p, unsigned ldm) {
    __syncwarp();
    __load<false, k>(b, (const typename __kept<T>::type*)p, ldm);
}
template <int m, int n, int k, typename T>
inline __device__ void load_matrix_sync(fragment<matrix_b, m, n, k, T, col_major>& b, const typename __kept<T>::memory* p, unsigned ldm) {
    __syncwarp();
    __load<true, k>(b, (const typename __kept<T>::type*)p, ldm);
}

// Where an element of a sum is.
template <int m, int n> inline __device__ unsigned __row(int i) {
    if constexpr (m == 8 && n == 32) return __lane() % 4 * 2 + i % 2;
    else return __lane() / 4 + i / 2 % 2 * 8 + (m == 32 ? i / 4 * 16 : 0);
}
template <int m, int n> inline __device__ unsigned __column(int i) {
    if constexpr (m == 8 && n == 32) return __lane() / 4 + i / 2 % 2 * 8 + i / 4 * 16;
    else return __lane() % 4 * 2 + i % 2 + (n == 16 ? i / 4 * 8 : 0);
}
template <int m, int n, int k, typename T>
inline __device__ void load_matrix_sync(fragment<accumulator, m, n, k, T>& c, const T* p, unsigned ldm, layout_t layout) {
    __syncwarp();
    const unsigned by_row = layout == mem_row_major ? ldm : 1, by_column = layout == mem_row_major ? 1 : ldm;
#pragma unroll
    for (int i = 0; i < m * n / 32; i++) c.x[i] = p[__row<m, n>(i) * by_row + __column<m, n>(i) * by_column];
}
template <int m, int n, int k, typename T>
inline __device__ void store_matrix_sync(T* p, const fragment<accumulator, m, n, k, T>& c, unsigned ldm, layout_t layout) {
    const unsigned by_row = layout == mem_row_major ? ldm : 1, by_column = layout == mem_row_major ? 1 : ldm;
#pragma unroll
    for (int i = 0; i < m * n / 32; i++) p[__row<m, n>(i) * by_row + __column<m, n>(i) * by_column] = c.x[i];
    __syncwarp();
}
template <typename Use, int m, int n, int k, typename T, typename Layout, typename V>
inline __device__ void fill_fragment(fragment<Use, m, n, k, T, Layout>& f, V value) {
#pragma unroll
    for (int i = 0; i < f.num_storage_elements; i++) f.x[i] = (typename __kept<T>::type)value;
}
inline __device__ float __float_to_tf32(float x) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __uint_as_float(bits);
}

// One `mma`: the words of a tile of each operand, and the elements of a tile of the sum. The last parameter says the type.
#define __CUDAC_MMA_TF32(d, low, high, b, c) \
    asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};" \
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "r"(low), "r"(high), "r"(b), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
#define __CUDAC_MMA_FLOATS(T, shape, type) \
    inline __device__ void __mma(float* d, const unsigned* a, const unsigned* b, const float* c, bool, T) { \
        asm("mma.sync.aligned." shape ".row.col.f32." type ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" \
            : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) \
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3])); \
    }
__CUDAC_MMA_FLOATS(__half, "m16n8k16", "f16.f16")
__CUDAC_MMA_FLOATS(__nv_bfloat16, "m16n8k16", "bf16.bf16")
// Eight products of tf32 are two sums of four, one after the other.
inline __device__ void __mma(float* d, const unsigned* a, const unsigned* b, const float* c, bool, precision::tf32) {
    float e[4];
    __CUDAC_MMA_TF32(e, a[0], a[1], b[0], c)
    __CUDAC_MMA_TF32(d, a[2], a[3], b[1], e)
}
inline __device__ void __mma(__half* d, const unsigned* a, const unsigned* b, const __half* c, bool, __half) {
    unsigned low, high;
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
        : "=r"(low), "=r"(high)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(__word(c)), "r"(__word(c + 2)));
    __unpack(d, low);
    __unpack(d + 2, high);
}
inline __device__ void __mma(float* d, const unsigned* a, const unsigned* b, const __half* c, bool, __half type) {
    const float sums[4] = {(float)c[0], (float)c[1], (float)c[2], (float)c[3]};
    __mma(d, a, b, sums, false, type);
}
inline __device__ void __mma(__half* d, const unsigned* a, const unsigned* b, const float* c, bool, __half type) {
    float sums[4];
    __mma(sums, a, b, c, false, type);
#pragma unroll
    for (int i = 0; i < 4; i++) d[i] = __half(sums[i]);
}
#define __CUDAC_MMA_INTS(saturates, type) \
    asm("mma.sync.aligned.m16n8k16.row.col" saturates ".s32." type ".s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};" \
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) \
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
#define __CUDAC_MMA_SMALL(saturates, type) \
    asm("mma.sync.aligned.m8n8k32.row.col" saturates ".s32." type ".s32 {%0, %1}, {%2}, {%3}, {%4, %5};" \
        : "=r"(d[0]), "=r"(d[1]) : "r"(a[0]), "r"(b[0]), "r"(c[0]), "r"(c[1]));
#define __CUDAC_MMA_INTEGER(T, kind, type) \
    inline __device__ void __mma(int* d, const unsigned* a, const unsigned* b, const int* c, bool saturates, T) { \
        if (saturates) { kind(".satfinite", type) } else { kind("", type) } \
    }
__CUDAC_MMA_INTEGER(signed char, __CUDAC_MMA_INTS, "s8.s8")
__CUDAC_MMA_INTEGER(unsigned char, __CUDAC_MMA_INTS, "u8.u8")
__CUDAC_MMA_INTEGER(experimental::precision::s4, __CUDAC_MMA_SMALL, "s4.s4")
__CUDAC_MMA_INTEGER(experimental::precision::u4, __CUDAC_MMA_SMALL, "u4.u4")

// The tile of the operand that has several, and the one of the other. A `double` is a register itself.
template <int m, int n, int k, typename D, typename T, typename LayoutA, typename LayoutB, typename C>
inline __device__ void mma_sync(fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, T, LayoutA>& a,
    const fragment<matrix_b, m, n, k, T, LayoutB>& b, const fragment<accumulator, m, n, k, C>& c, bool saturates = false) {
    if constexpr (k == 4) {
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
            : "=d"(d.x[0]), "=d"(d.x[1]) : "d"(a.x[0]), "d"(b.x[0]), "d"(c.x[0]), "d"(c.x[1]));
    } else {
        typedef __kept<T> kept;
        constexpr int words_a = fragment<matrix_a, m, n, k, T, LayoutA>::num_storage_elements / kept::copies / kept::in_word;
        constexpr int words_b = fragment<matrix_b, m, n, k, T, LayoutB>::num_storage_elements / kept::copies / kept::in_word;
        unsigned of_a[words_a], of_b[words_b];
#pragma unroll
        for (int i = 0; i < words_a; i++) of_a[i] = __word(a.x + i * kept::in_word);
#pragma unroll
        for (int i = 0; i < words_b; i++) of_b[i] = __word(b.x + i * kept::in_word);
        constexpr int of_tile = m * n == 64 ? 2 : 4;
#pragma unroll
        for (int i = 0; i < m * n / 32; i += of_tile) {
            const int tile = i / of_tile;
            if constexpr (m == 8 && n == 8) __mma(d.x + i, of_a, of_b, c.x + i, saturates, T());
            else if constexpr (m == 8) __mma(d.x + i, of_b + tile * words_b / 2, of_a, c.x + i, saturates, T());
            else if constexpr (m == 32) __mma(d.x + i, of_a + tile * words_a / 2, of_b, c.x + i, saturates, T());
            else __mma(d.x + i, of_a, of_b + tile * words_b / 2, c.x + i, saturates, T());
        }
    }
}
}
}
