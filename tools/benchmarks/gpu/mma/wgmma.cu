// Executes `wgmma` on the operands of `mma.cu`, and prints sums over all bits of the results, and how many of them differ from
// those of `mma` on the same operands. `crates/lanes/tests/tensor_cores.rs` runs this program on the emulator, and compares the sums.
//
// A warpgroup takes four products that have the same B, one for each warp. Every other time its A is in shared memory, and not in
// registers. Products of eight columns are enough, because no element depends on another column.

#include "operands.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

// X(name, types of D, A and B, depth, formats of A, B and D, registers of D, kinds of operands, suffix, the opcode of `mma`)
#define PRODUCTS(X) \
    X(half_f32, "f32.f16.f16", 16, F16, F16, F32, 4, 10, ", 0", "m16n8k16.row.col.f32.f16.f16.f32") \
    X(half_f16, "f16.f16.f16", 16, F16, F16, F16, 2, 10, ", 0", "m16n8k16.row.col.f16.f16.f16.f16") \
    X(brain_f32, "f32.bf16.bf16", 16, BF16, BF16, F32, 4, 10, ", 0", "m16n8k16.row.col.f32.bf16.bf16.f32") \
    X(tensor_f32, "f32.tf32.tf32", 8, TF32, TF32, F32, 4, 10, "", "m16n8k8.row.col.f32.tf32.tf32.f32") \
    X(e4_e4_f32, "f32.e4m3.e4m3", 32, E4M3, E4M3, F32, 4, 5, "", "m16n8k32.row.col.f32.e4m3.e4m3.f32") \
    X(e4_e5_f32, "f32.e4m3.e5m2", 32, E4M3, E5M2, F32, 4, 5, "", "m16n8k32.row.col.f32.e4m3.e5m2.f32") \
    X(e5_e4_f32, "f32.e5m2.e4m3", 32, E5M2, E4M3, F32, 4, 5, "", "m16n8k32.row.col.f32.e5m2.e4m3.f32") \
    X(e5_e5_f32, "f32.e5m2.e5m2", 32, E5M2, E5M2, F32, 4, 5, "", "m16n8k32.row.col.f32.e5m2.e5m2.f32") \
    X(e4_e4_f16, "f16.e4m3.e4m3", 32, E4M3, E4M3, F16, 2, 5, "", "m16n8k32.row.col.f16.e4m3.e4m3.f16") \
    X(e4_e5_f16, "f16.e4m3.e5m2", 32, E4M3, E5M2, F16, 2, 5, "", "m16n8k32.row.col.f16.e4m3.e5m2.f16") \
    X(e5_e4_f16, "f16.e5m2.e4m3", 32, E5M2, E4M3, F16, 2, 5, "", "m16n8k32.row.col.f16.e5m2.e4m3.f16") \
    X(e5_e5_f16, "f16.e5m2.e5m2", 32, E5M2, E5M2, F16, 2, 5, "", "m16n8k32.row.col.f16.e5m2.e5m2.f16") \
    X(whole_ss, "s32.s8.s8", 32, X8, X8, S32, 4, 2, "", "m16n8k32.row.col.s32.s8.s8.s32") \
    X(whole_su, "s32.s8.u8", 32, X8, X8, S32, 4, 2, "", "m16n8k32.row.col.s32.s8.u8.s32") \
    X(whole_us, "s32.u8.s8", 32, X8, X8, S32, 4, 2, "", "m16n8k32.row.col.s32.u8.s8.s32") \
    X(whole_uu, "s32.u8.u8", 32, X8, X8, S32, 4, 2, "", "m16n8k32.row.col.s32.u8.u8.s32") \
    X(ends_ss, "satfinite.s32.s8.s8", 32, X8, X8, S32, 4, 2, "", "m16n8k32.row.col.satfinite.s32.s8.s8.s32") \
    X(ends_su, "satfinite.s32.s8.u8", 32, X8, X8, S32, 4, 2, "", "m16n8k32.row.col.satfinite.s32.s8.u8.s32") \
    X(ends_us, "satfinite.s32.u8.s8", 32, X8, X8, S32, 4, 2, "", "m16n8k32.row.col.satfinite.s32.u8.s8.s32") \
    X(ends_uu, "satfinite.s32.u8.u8", 32, X8, X8, S32, 4, 2, "", "m16n8k32.row.col.satfinite.s32.u8.u8.s32")

#define SIGNS_F16 ", 1, 1"
#define SIGNS_F32 ", 1, 1"
#define SIGNS_S32 ""
#define JOIN(a, b) a##b
#define SIGNS(out) JOIN(SIGNS_, out)

// A matrix that is not swizzled: 16 bytes of 8 rows in a piece, the pieces of a row 128 bytes apart, those of eight rows 256.
__device__ u64 described(const void* matrix) {
    return (u64)((u32)__cvta_generic_to_shared(matrix) >> 4) | 8ull << 16 | 16ull << 32;
}

#define OPEN "wgmma.mma_async.sync.aligned.m64n8k"
#define DEFINE(name, types, depth, fa, fb, fd, nd, kinds, suffix, mma) DEFINE##nd(name, types, #depth, fa, fb, fd, kinds, SIGNS(fd), suffix, mma)
#define DEFINE4(name, types, depth, fa, fb, fd, kinds_, signs, suffix, mma) \
    struct name { \
        static constexpr Format A = fa, B = fb, D = fd; \
        static constexpr int Words = 4, kinds = kinds_; \
        static __device__ void from_registers(u32* d, const u32* a, u64 b) { \
            asm volatile("wgmma.fence.sync.aligned; " OPEN depth "." types " {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, 1" signs suffix "; " \
                "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" \
                : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b) : "memory"); \
        } \
        static __device__ void from_memory(u32* d, u64 a, u64 b) { \
            asm volatile("wgmma.fence.sync.aligned; " OPEN depth "." types " {%0,%1,%2,%3}, %4, %5, 1" signs BOTH(suffix) "; " \
                "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" \
                : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(a), "l"(b) : "memory"); \
        } \
        static __device__ void by_warp(u32* d, const u32* a, const u32* b) { \
            asm volatile("mma.sync.aligned." mma " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
                : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); \
        } \
    };
#define DEFINE2(name, types, depth, fa, fb, fd, kinds_, signs, suffix, mma) \
    struct name { \
        static constexpr Format A = fa, B = fb, D = fd; \
        static constexpr int Words = 2, kinds = kinds_; \
        static __device__ void from_registers(u32* d, const u32* a, u64 b) { \
            asm volatile("wgmma.fence.sync.aligned; " OPEN depth "." types " {%0,%1}, {%2,%3,%4,%5}, %6, 1" signs suffix "; " \
                "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" \
                : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b) : "memory"); \
        } \
        static __device__ void from_memory(u32* d, u64 a, u64 b) { \
            asm volatile("wgmma.fence.sync.aligned; " OPEN depth "." types " {%0,%1}, %2, %3, 1" signs BOTH(suffix) "; " \
                "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" \
                : "+r"(d[0]), "+r"(d[1]) : "l"(a), "l"(b) : "memory"); \
        } \
        static __device__ void by_warp(u32* d, const u32* a, const u32* b) { \
            asm volatile("mma.sync.aligned." mma " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};" \
                : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); \
        } \
    };
// Matrices of 16 bits say whether they are transposed: B if A is in registers, and otherwise both.
#define BOTH(suffix) suffix suffix
PRODUCTS(DEFINE)

// The emulator has no `mma` for floating-point numbers of eight bits.
#ifdef COMPARE_BYTES
constexpr bool kComparesBytes = true;
#else
constexpr bool kComparesBytes = false;
#endif

// `totals` gets the sum over the results, and how many differ from those of `mma`. `raw`, where there is one, gets the results.
template <class I>
__global__ void multiply(int kind, u32 products, u64* totals, u32* raw) {
    __shared__ __align__(128) u32 of_a[64 * 8], of_b[8 * 8];
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, own_row = lane / 4 * 4 + lane % 4;
    u64 sum = 0, differing = 0;
    for (u32 first = blockIdx.x * 4; first < products; first += gridDim.x * 4) {
        u32 a[4], b[2], d[I::Words], expected[I::Words], index = first + warp;
        for (int i = 0; i < 4; ++i) a[i] = word<u32>(I::A, 0, kind, index, lane, i);
        for (int i = 0; i < 2; ++i) b[i] = word<u32>(I::B, 1, kind, first, lane, i);
        for (int i = 0; i < I::Words; ++i) d[i] = expected[i] = word<u32>(I::D, 2, kind, index, lane, i);
        // Of each pair of registers, the second is eight rows below; the second pair is 16 bytes further.
        for (int i = 0; i < 4; ++i) of_a[(warp * 2 + i % 2) * 64 + i / 2 * 32 + own_row] = a[i];
        if (warp == 0) for (int i = 0; i < 2; ++i) of_b[i * 32 + own_row] = b[i];
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        if (first / 4 % 2) I::from_memory(d, described(of_a), described(of_b));
        else I::from_registers(d, a, described(of_b));
        __syncthreads();
        if constexpr (kComparesBytes || I::kinds != 5) I::by_warp(expected, a, b);
        for (int i = 0; i < I::Words; ++i) {
            sum += mixed(d[i] ^ mixed((u64)index << 16 | lane << 8 | i));
            if (kComparesBytes || I::kinds != 5) differing += d[i] != expected[i];
            if (raw) raw[(index * 32 + lane) * I::Words + i] = d[i];
        }
    }
    atomicAdd(&totals[0], sum);
    atomicAdd(&totals[1], differing);
}

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
    std::exit(2);
}

// Of each kind, some products, of which the first are kept, and many.
constexpr u32 kShown = 64;

template <class I>
static void measure(const char* types, u32 few, u32 many, u64* totals, u32* raw, FILE* shown) {
    for (int kind = 0; kind < I::kinds; ++kind) {
        std::printf("%s,%d", types, kind);
        for (int part = 0; part < 2; ++part) {
            u32 products = part ? many : few;
            if (products == 0) continue;
            u64 found[2];
            check(cudaMemset(totals, 0, sizeof found));
            multiply<I><<<part ? 2048 : 64, 128>>>(kind, products, totals, part ? nullptr : raw);
            check(cudaMemcpy(found, totals, sizeof found, cudaMemcpyDeviceToHost));
            std::printf(",%u,%016llx,%llu", products, found[0], found[1]);
        }
        std::printf("\n");
        if (!shown) continue;
        std::vector<u32> words(kShown * 32 * I::Words);
        check(cudaMemcpy(words.data(), raw, words.size() * 4, cudaMemcpyDeviceToHost));
        std::fwrite(words.data(), 4, words.size(), shown);
    }
}

// wgmma FEW MANY [FILE]: how many products of each kind, and where the first results go.
int main(int count, char** words) {
    u32 few = count > 1 ? std::atoi(words[1]) : 1024, many = count > 2 ? std::atoi(words[2]) : 1 << 18;
    void* memory;
    check(cudaMalloc(&memory, 1 << 24));
    FILE* shown = count > 3 ? std::fopen(words[3], "wb") : nullptr;
    u64* totals = (u64*)memory;
    u32* raw = (u32*)((char*)memory + 256);
#define MEASURE(name, types, depth, fa, fb, fd, nd, kinds, suffix, mma) measure<name>(types, few, many, totals, raw, shown);
    PRODUCTS(MEASURE)
    check(cudaFree(memory));
    if (shown) std::fclose(shown);
    return 0;
}
