// Multiplies with `nvcuda::wmma` in every shape and type, on operands like those of `mma.cu`, and prints sums over all bits of the
// results. `crates/lanes/tests/tensor_cores.rs` runs this program on the emulator, and compares the sums.
//
// Of halves, whose sums can be of two types, each product is made by PTX's `wmma` as well: how many words differ is printed.

#include "operands.h"

#include <cstdio>
#include <cstdlib>
#include <mma.h>

using namespace nvcuda;

// What CUDA calls the type of an element, and how it is made, kept in memory and added up.
template <class T> struct Element;
#define ELEMENT(T, format_, Memory_, Word_) template <> struct Element<T> { \
    static constexpr Format format = format_; \
    typedef Memory_ Memory; \
    typedef Word_ Word; \
};
ELEMENT(__half, F16, __half, u32)
ELEMENT(__nv_bfloat16, BF16, __nv_bfloat16, u32)
ELEMENT(wmma::precision::tf32, TF32, float, u32)
ELEMENT(float, F32, float, u32)
ELEMENT(double, F64, double, u64)
ELEMENT(signed char, X8, signed char, u32)
ELEMENT(unsigned char, X8, unsigned char, u32)
ELEMENT(int, S32, int, u32)
ELEMENT(wmma::experimental::precision::s4, X4, int, u32)
ELEMENT(wmma::experimental::precision::u4, X4, int, u32)

// D is A times B plus C. Sums of integers can end at the ends of their type, and some layouts do not exist for four bits.
template <int m_, int n_, int k_, class T_, class D_, class C_, int kinds_, bool saturates_ = false>
struct Product {
    static constexpr int m = m_, n = n_, k = k_, kinds = kinds_;
    static constexpr bool saturates = saturates_, has_all_layouts = Element<T_>::format != X4;
    typedef T_ T;
    typedef D_ D;
    typedef C_ C;
};

// The words of a matrix of so many elements.
template <class T>
__device__ void fill(void* matrix, int elements, int operand, int kind, u32 index) {
    typedef typename Element<T>::Word Word;
    int words = elements * width(Element<T>::format) / 8 / (int)sizeof(Word);
    for (int i = threadIdx.x; i < words; i += 32) ((Word*)matrix)[i] = word<Word>(Element<T>::format, operand, kind, index, i / 16, i % 16);
}

template <bool is_in_rows> struct Layout { typedef wmma::row_major type; };
template <> struct Layout<false> { typedef wmma::col_major type; };

template <class P, bool a_rows, bool b_rows>
__device__ void by_header(const void* a, const void* b, const void* c, void* d, wmma::layout_t layout) {
    wmma::fragment<wmma::matrix_a, P::m, P::n, P::k, typename P::T, typename Layout<a_rows>::type> of_a;
    wmma::fragment<wmma::matrix_b, P::m, P::n, P::k, typename P::T, typename Layout<b_rows>::type> of_b;
    wmma::fragment<wmma::accumulator, P::m, P::n, P::k, typename P::C> of_c;
    wmma::fragment<wmma::accumulator, P::m, P::n, P::k, typename P::D> of_d;
    typedef typename Element<typename P::T>::Memory Memory;
    wmma::load_matrix_sync(of_a, (const Memory*)a, a_rows ? P::k : P::m);
    wmma::load_matrix_sync(of_b, (const Memory*)b, b_rows ? P::n : P::k);
    unsigned long_side = layout == wmma::mem_row_major ? P::n : P::m;
    wmma::load_matrix_sync(of_c, (const typename P::C*)c, long_side, layout);
    if constexpr (P::saturates) wmma::mma_sync(of_d, of_a, of_b, of_c, true);
    else wmma::mma_sync(of_d, of_a, of_b, of_c);
    wmma::store_matrix_sync((typename P::D*)d, of_d, long_side, layout);
}

// The same by PTX, for A in rows and B in columns: eight registers of each, and four or eight of C and of D.
template <class P> struct ByPtx { static constexpr bool exists = false; };
#define R4(x) x(0) "," x(1) "," x(2) "," x(3)
#define R8(x) R4(x) "," x(4) "," x(5) "," x(6) "," x(7)
#define OF_A(i) "a" #i
#define OF_B(i) "b" #i
#define OF_C(i) "c" #i
#define OF_D(i) "d" #i
#define HALF_REGISTERS(x) R4(x)
#define FLOAT_REGISTERS(x) R8(x)
#define BY_PTX(m, n, k, D, d_registers, d_type, d_class, C, c_registers, c_type, c_class) \
    template <> struct ByPtx<Product<m, n, k, __half, D, C, 10>> { \
        static constexpr bool exists = true; \
        static __device__ void run(const void* a, const void* b, const void* c, void* d) { \
            asm volatile("{ .reg .b32 a<8>, b<8>; .reg ." c_class " c<8>; .reg ." d_class " d<8>;" \
                "wmma.load.a.sync.aligned.row.m" #m "n" #n "k" #k ".f16 {" R8(OF_A) "}, [%0], " #k ";" \
                "wmma.load.b.sync.aligned.col.m" #m "n" #n "k" #k ".f16 {" R8(OF_B) "}, [%1], " #k ";" \
                "wmma.load.c.sync.aligned.row.m" #m "n" #n "k" #k "." c_type " {" c_registers(OF_C) "}, [%2], " #n ";" \
                "wmma.mma.sync.aligned.row.col.m" #m "n" #n "k" #k "." d_type "." c_type \
                " {" d_registers(OF_D) "}, {" R8(OF_A) "}, {" R8(OF_B) "}, {" c_registers(OF_C) "};" \
                "wmma.store.d.sync.aligned.row.m" #m "n" #n "k" #k "." d_type " [%3], {" d_registers(OF_D) "}, " #n "; }" \
                :: "l"(a), "l"(b), "l"(c), "l"(d) : "memory"); \
        } \
    };
#define BY_PTX_OF(m, n, k) \
    BY_PTX(m, n, k, __half, HALF_REGISTERS, "f16", "b32", __half, HALF_REGISTERS, "f16", "b32") \
    BY_PTX(m, n, k, __half, HALF_REGISTERS, "f16", "b32", float, FLOAT_REGISTERS, "f32", "f32") \
    BY_PTX(m, n, k, float, FLOAT_REGISTERS, "f32", "f32", __half, HALF_REGISTERS, "f16", "b32") \
    BY_PTX(m, n, k, float, FLOAT_REGISTERS, "f32", "f32", float, FLOAT_REGISTERS, "f32", "f32")
BY_PTX_OF(16, 16, 16)
BY_PTX_OF(32, 8, 16)
BY_PTX_OF(8, 32, 16)

// `totals` gets the sum over the results, and how many words differ.
template <class P>
__global__ void multiply(int kind, u32 products, u64* totals) {
    typedef typename Element<typename P::D>::Word Word;
    constexpr int words = P::m * P::n * (int)sizeof(typename P::D) / (int)sizeof(Word);
    __shared__ __align__(128) u32 a[256], b[256], c[256], d[256], other[256];
    u64 sum = 0, differing = 0;
    for (u32 index = blockIdx.x; index < products; index += gridDim.x) {
        fill<typename P::T>(a, P::m * P::k, 0, kind, index);
        fill<typename P::T>(b, P::n * P::k, 1, kind, index);
        fill<typename P::C>(c, P::m * P::n, 2, kind, index);
        __syncwarp();
        u32 way = P::has_all_layouts ? index % 4 : 1;
        wmma::layout_t layout = index / 4 % 2 ? wmma::mem_col_major : wmma::mem_row_major;
        if constexpr (P::has_all_layouts) {
            if (way == 0) by_header<P, true, true>(a, b, c, d, layout);
            else if (way == 2) by_header<P, false, true>(a, b, c, d, layout);
            else if (way == 3) by_header<P, false, false>(a, b, c, d, layout);
        }
        if (way == 1) by_header<P, true, false>(a, b, c, d, layout);
        bool is_compared = false;
        if constexpr (ByPtx<P>::exists) {
            is_compared = way == 1 && layout == wmma::mem_row_major;
            if (is_compared) ByPtx<P>::run(a, b, c, other);
        }
        __syncwarp();
        for (int i = threadIdx.x; i < words; i += 32) {
            sum += mixed(((Word*)d)[i] ^ mixed((u64)index << 16 | i));
            if (is_compared) differing += ((Word*)d)[i] != ((Word*)other)[i];
        }
        __syncwarp();
    }
    atomicAdd(&totals[0], sum);
    atomicAdd(&totals[1], differing);
}

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
    std::exit(2);
}

template <class P>
static void measure(const char* types, u32 few, u32 many, u64* totals) {
    for (int kind = 0; kind < P::kinds; ++kind) {
        std::printf("m%dn%dk%d.%s,%d", P::m, P::n, P::k, types, kind);
        for (int part = 0; part < 2; ++part) {
            u32 products = part ? many : few;
            if (products == 0) continue;
            u64 found[2];
            check(cudaMemset(totals, 0, sizeof found));
            multiply<P><<<part ? 1024 : 64, 32>>>(kind, products, totals);
            check(cudaMemcpy(found, totals, sizeof found, cudaMemcpyDeviceToHost));
            std::printf(",%u,%016llx,%llu", products, found[0], found[1]);
        }
        std::printf("\n");
    }
}

template <int m, int n>
static void measure_shape(u32 few, u32 many, u64* totals) {
    measure<Product<m, n, 16, __half, __half, __half, 10>>("f16.f16", few, many, totals);
    measure<Product<m, n, 16, __half, __half, float, 10>>("f16.f32", few, many, totals);
    measure<Product<m, n, 16, __half, float, __half, 10>>("f32.f16", few, many, totals);
    measure<Product<m, n, 16, __half, float, float, 10>>("f32.f32", few, many, totals);
    measure<Product<m, n, 16, __nv_bfloat16, float, float, 10>>("bf16", few, many, totals);
    measure<Product<m, n, 16, signed char, int, int, 2>>("s8", few, many, totals);
    measure<Product<m, n, 16, unsigned char, int, int, 2>>("u8", few, many, totals);
    measure<Product<m, n, 16, signed char, int, int, 2, true>>("s8.satfinite", few, many, totals);
    measure<Product<m, n, 16, unsigned char, int, int, 2, true>>("u8.satfinite", few, many, totals);
}

// wmma FEW MANY: how many products of each kind.
int main(int count, char** words) {
    u32 few = count > 1 ? std::atoi(words[1]) : 64, many = count > 2 ? std::atoi(words[2]) : 1 << 18;
    u64* totals;
    check(cudaMalloc(&totals, 16));
    measure_shape<16, 16>(few, many, totals);
    measure_shape<32, 8>(few, many, totals);
    measure_shape<8, 32>(few, many, totals);
    measure<Product<16, 16, 8, wmma::precision::tf32, float, float, 10>>("tf32", few, many, totals);
    measure<Product<8, 8, 4, double, double, double, 10>>("f64", few, many, totals);
    measure<Product<8, 8, 32, wmma::experimental::precision::s4, int, int, 2>>("s4", few, many, totals);
    measure<Product<8, 8, 32, wmma::experimental::precision::u4, int, int, 2>>("u4", few, many, totals);
    check(cudaFree(totals));
    return 0;
}
