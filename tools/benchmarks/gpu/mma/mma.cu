// Executes `mma` on random operands that it makes from seeds, and prints a sum over all bits of the results. The emulator's
// test `crates/simt/tests/mma.rs` makes the same operands and compares the sums. Also shown: what `ldmatrix`, `stmatrix` and
// `movmatrix` leave, as a sum, and launches of one warp each for the profiler's counters of shared memory.
//
// A sum does not depend on the order of its terms, so it needs no memory for the results; a term depends on a result and on
// where it is.
// Left out: clocks. `run.sh` beside this file says how it is run.

#include "operands.h"

#define R32 "r"
#define W32 "=r"
#define R64 "l"
#define W64 "=l"
#define D2(w) W##w(d[0]), W##w(d[1])
#define D4(w) D2(w), W##w(d[2]), W##w(d[3])
#define I1(x, w) R##w(x[0])
#define I2(x, w) I1(x, w), R##w(x[1])
#define I4(x, w) I2(x, w), R##w(x[2]), R##w(x[3])
#define I8(x, w) I4(x, w), R##w(x[4]), R##w(x[5]), R##w(x[6]), R##w(x[7])
#define T112 "{%0,%1},{%2},{%3},{%4,%5};"
#define T212 "{%0,%1},{%2,%3},{%4},{%5,%6};"
#define T422 "{%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9};"
#define T214 "{%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};"
#define T424 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
#define T844 "{%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%16,%17,%18,%19};"

// X(name, opcode, registers of A, B and C, formats of A, B and C, bits of a register, kinds of operands)
#define REAL(X, shape, d, a, b, c, na, nb, nc, fa, fc, w) \
    X(shape##_##d##_##a, "mma.sync.aligned." #shape ".row.col." #d "." #a "." #b "." #c, na, nb, nc, fa, fc, w, 10)
#define WHOLE(X, shape, plus, sat, a, b, na, nb, nc, fa) \
    X(shape##_##a##_##b##_##plus, "mma.sync.aligned." #shape ".row.col" sat ".s32." #a "." #b ".s32", na, nb, nc, fa, S32, 32, 2)
#define SIGNS(X, shape, plus, sat, u, s, na, nb, nc, fa) \
    WHOLE(X, shape, plus, sat, u, u, na, nb, nc, fa) WHOLE(X, shape, plus, sat, u, s, na, nb, nc, fa) \
    WHOLE(X, shape, plus, sat, s, u, na, nb, nc, fa) WHOLE(X, shape, plus, sat, s, s, na, nb, nc, fa)
#define WHOLES(X, shape, u, s, na, nb, nc, fa) \
    SIGNS(X, shape, wraps, "", u, s, na, nb, nc, fa) SIGNS(X, shape, ends, ".satfinite", u, s, na, nb, nc, fa)
#define INSTRUCTIONS(X) \
    REAL(X, m16n8k8, f16, f16, f16, f16, 2, 1, 2, F16, F16, 32) \
    REAL(X, m16n8k16, f16, f16, f16, f16, 4, 2, 2, F16, F16, 32) \
    REAL(X, m16n8k8, f32, f16, f16, f32, 2, 1, 4, F16, F32, 32) \
    REAL(X, m16n8k16, f32, f16, f16, f32, 4, 2, 4, F16, F32, 32) \
    REAL(X, m16n8k8, f32, bf16, bf16, f32, 2, 1, 4, BF16, F32, 32) \
    REAL(X, m16n8k16, f32, bf16, bf16, f32, 4, 2, 4, BF16, F32, 32) \
    REAL(X, m16n8k4, f32, tf32, tf32, f32, 2, 1, 4, TF32, F32, 32) \
    REAL(X, m16n8k8, f32, tf32, tf32, f32, 4, 2, 4, TF32, F32, 32) \
    REAL(X, m8n8k4, f64, f64, f64, f64, 1, 1, 2, F64, F64, 64) \
    REAL(X, m16n8k4, f64, f64, f64, f64, 2, 1, 4, F64, F64, 64) \
    REAL(X, m16n8k8, f64, f64, f64, f64, 4, 2, 4, F64, F64, 64) \
    REAL(X, m16n8k16, f64, f64, f64, f64, 8, 4, 4, F64, F64, 64) \
    WHOLES(X, m8n8k16, u8, s8, 1, 1, 2, X8) WHOLES(X, m16n8k16, u8, s8, 2, 1, 4, X8) \
    WHOLES(X, m16n8k32, u8, s8, 4, 2, 4, X8) WHOLES(X, m8n8k32, u4, s4, 1, 1, 2, X4) \
    WHOLES(X, m16n8k32, u4, s4, 2, 1, 4, X4) WHOLES(X, m16n8k64, u4, s4, 4, 2, 4, X4)

template <int Bits> struct WordOf { typedef u32 type; };
template <> struct WordOf<64> { typedef u64 type; };

#define DEFINE(name, opcode, na, nb, nc, fa, fc, w, kinds) \
    struct name { \
        typedef typename WordOf<w>::type Word; \
        static constexpr int A = na, B = nb, C = nc; \
        static constexpr Format In = fa, Out = fc; \
        static __device__ void run(Word* d, const Word* a, const Word* b, const Word* c) { \
            asm volatile(opcode " " T##na##nb##nc : D##nc(w) : I##na(a, w), I##nb(b, w), I##nc(c, w)); \
        } \
    };
INSTRUCTIONS(DEFINE)

// Each warp takes every `gridDim.x`th product. `raw`, where there is one, gets the results.
template <class I>
__global__ void multiply(int kind, u32 products, u64* sum, typename I::Word* raw) {
    typedef typename I::Word Word;
    u32 lane = threadIdx.x;
    u64 own = 0;
    for (u32 index = blockIdx.x; index < products; index += gridDim.x) {
        Word a[I::A], b[I::B], c[I::C], d[I::C];
        for (int i = 0; i < I::A; ++i) a[i] = word<Word>(I::In, 0, kind, index, lane, i);
        for (int i = 0; i < I::B; ++i) b[i] = word<Word>(I::In, 1, kind, index, lane, i);
        for (int i = 0; i < I::C; ++i) c[i] = word<Word>(I::Out, 2, kind, index, lane, i);
        I::run(d, a, b, c);
        for (int i = 0; i < I::C; ++i) {
            own += mixed(d[i] ^ mixed((u64)index << 16 | lane << 8 | i));
            if (raw) raw[(index * 32 + lane) * I::C + i] = d[i];
        }
    }
    atomicAdd(sum, own);
}

// Moves of matrices: a sum over what each of them leaves.
#define SHARED(p) ((u32)__cvta_generic_to_shared(p))
#define FILL for (u32 i = threadIdx.x; i < 1024; i += 32) cells[i] = (unsigned short)(i * 40503 + 1); __syncwarp();
#define LOAD(number, text, list) \
    if (which == number) asm volatile("ldmatrix.sync.aligned.m8n8." text ".shared.b16 " list ", [%4];" \
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(at));
#define STORE(number, text, list) \
    if (which == number) asm volatile("stmatrix.sync.aligned.m8n8." text ".shared.b16 [%0], " list ";" \
        :: "r"(at), "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3]));

__global__ void move(int which, u64* sum) {
    __shared__ __align__(16) unsigned short cells[1024];
    FILL
    u32 lane = threadIdx.x, d[4];
    for (int i = 0; i < 4; ++i) d[i] = which < 6 ? 0 : (u32)mixed(lane * 4 + i);
    u32 at = SHARED(cells + (lane * 7 % 32) * 8);
    LOAD(0, "x1", "{%0}") LOAD(1, "x2", "{%0,%1}") LOAD(2, "x4", "{%0,%1,%2,%3}")
    LOAD(3, "x1.trans", "{%0}") LOAD(4, "x2.trans", "{%0,%1}") LOAD(5, "x4.trans", "{%0,%1,%2,%3}")
    STORE(6, "x1", "{%1}") STORE(7, "x2", "{%1,%2}") STORE(8, "x4", "{%1,%2,%3,%4}")
    STORE(9, "x1.trans", "{%1}") STORE(10, "x2.trans", "{%1,%2}") STORE(11, "x4.trans", "{%1,%2,%3,%4}")
    if (which == 12) asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d[0]) : "r"(d[1]));
    __syncwarp();
    u64 own = 0;
    if (which < 3) for (int i = 0; i < 1 << which; ++i) own += mixed(d[i] ^ mixed(lane << 8 | i));
    else if (which < 6) for (int i = 0; i < 1 << (which - 3); ++i) own += mixed(d[i] ^ mixed(lane << 8 | i));
    else if (which == 12) own = mixed(d[0] ^ mixed(lane << 8));
    else for (u32 i = lane; i < 512; i += 32) own += mixed(((u32*)cells)[i] ^ mixed(i));
    atomicAdd(sum, own);
}

// One access of one warp, for the profiler. Lane l is at ((l / divisor % modulus) * step + l / 8 * jump) ^ (l % 8 * bend).
struct Pattern { int divisor, modulus, step, jump, bend; };

template <int Which>
__global__ void access(Pattern p, u32* out) {
    __shared__ __align__(16) unsigned short cells[16384];
    u32 lane = threadIdx.x, d[4] = {lane, lane, lane, lane};
    u32 at = SHARED(cells) + (((lane / p.divisor % p.modulus) * p.step + lane / 8 * p.jump) ^ (lane % 8 * p.bend)) % 32768;
    const int which = Which;
    LOAD(0, "x1", "{%0}") LOAD(1, "x2", "{%0,%1}") LOAD(2, "x4", "{%0,%1,%2,%3}") LOAD(5, "x4.trans", "{%0,%1,%2,%3}")
    STORE(6, "x1", "{%1}") STORE(7, "x2", "{%1,%2}") STORE(8, "x4", "{%1,%2,%3,%4}")
    if (which == 20) asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(at));
    if (which < 6 || which == 20) out[lane] = d[0] + d[1] + d[2] + d[3];
}

// One asynchronous copy of each lane, with the same pattern on both sides.
template <int Bytes, bool Through>
__global__ void copy(Pattern p, const char* in) {
    __shared__ __align__(16) char cells[32768];
    u32 lane = threadIdx.x, at = ((lane / p.divisor % p.modulus) * p.step + lane / 8 * p.jump) % 32768;
    if (Through) asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(SHARED(cells + at)), "l"(in + at), "n"(Bytes));
    else asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(SHARED(cells + at)), "l"(in + at));
    asm volatile("cp.async.wait_all;");
}

#ifndef __CUDACC_RTC__
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
    std::exit(2);
}

constexpr u32 kFirst = 1024, kShown = 64;

template <class I>
static void measure(const char* opcode, int kinds, u64* sum, void* raw, FILE* shown) {
    for (int kind = 0; kind < kinds; ++kind) {
        u64 sums[2];
        u32 products[2] = {kFirst, kinds == 2 ? 1u << 19 : 1u << 17};
        for (int part = 0; part < 2; ++part) {
            check(cudaMemset(sum, 0, sizeof *sum));
            multiply<I><<<part ? 8192 : 256, 32>>>(kind, products[part], sum, part ? nullptr : (typename I::Word*)raw);
            check(cudaMemcpy(&sums[part], sum, sizeof *sum, cudaMemcpyDeviceToHost));
        }
        std::printf("%s,%d,%u,%016llx,%u,%016llx\n", opcode, kind, products[0], sums[0], products[1], sums[1]);
        if (!shown) continue;
        std::vector<char> bytes(kShown * 32 * I::C * sizeof(typename I::Word));
        check(cudaMemcpy(bytes.data(), raw, bytes.size(), cudaMemcpyDeviceToHost));
        std::fwrite(bytes.data(), 1, bytes.size(), shown);
    }
}

static const Pattern kPatterns[] = {
    {1, 32, 16, 0, 0}, {1, 32, 0, 0, 0}, {1, 32, 32, 0, 0}, {1, 32, 64, 0, 0}, {1, 32, 128, 0, 0}, {1, 32, 144, 0, 0},
    {1, 32, 256, 0, 0}, {1, 32, 272, 0, 0}, {1, 8, 128, 16, 0}, {1, 8, 16, 128, 0}, {1, 32, 128, 0, 16}, {2, 16, 16, 0, 0},
    {2, 16, 128, 0, 0}, {4, 8, 128, 0, 0}, {1, 2, 128, 0, 0}, {1, 4, 128, 0, 0}, {1, 8, 128, 0, 0}, {8, 4, 128, 0, 0},
};

template <int Which>
static void accesses(u32* out) {
    for (const Pattern& p : kPatterns) access<Which><<<1, 32>>>(p, out);
    check(cudaDeviceSynchronize());
}

template <int Bytes, bool Through>
static void copies(const char* in) {
    for (const Pattern& p : kPatterns) copy<Bytes, Through><<<1, 32>>>(p, in);
    check(cudaDeviceSynchronize());
}

int main(int count, char** words) {
    void* memory;
    check(cudaMalloc(&memory, 1 << 24));
    if (count > 1 && !std::strcmp(words[1], "accesses")) {
        u32* out = (u32*)memory;
        accesses<0>(out); accesses<1>(out); accesses<2>(out); accesses<5>(out);
        accesses<6>(out); accesses<7>(out); accesses<8>(out); accesses<20>(out);
        return 0;
    }
    if (count > 1 && !std::strcmp(words[1], "copies")) {
        const char* in = (const char*)memory;
        copies<4, true>(in); copies<8, true>(in); copies<16, true>(in); copies<16, false>(in);
        return 0;
    }
    FILE* shown = count > 1 ? std::fopen(words[1], "wb") : nullptr;
    u64* sum = (u64*)memory;
    void* raw = (char*)memory + 256;
    for (int which = 0; which < 13; ++which) {
        u64 got;
        check(cudaMemset(sum, 0, sizeof *sum));
        move<<<1, 32>>>(which, sum);
        check(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
        std::printf("move,%d,%016llx\n", which, got);
    }
#define MEASURE(name, opcode, na, nb, nc, fa, fc, w, kinds) measure<name>(opcode, kinds, sum, raw, shown);
    INSTRUCTIONS(MEASURE)
    if (shown) std::fclose(shown);
    return 0;
}
#endif
