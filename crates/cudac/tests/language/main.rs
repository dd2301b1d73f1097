//! What kernels use of C++, each in a small kernel whose result is known.

mod calls;
mod constants;
mod outside;
mod types;

use simt::{Checks, Emulator, Launch, Limits};

/// Runs the body of a kernel with 32 threads; `y` has a word for each, which is 0 before.
#[track_caller]
pub fn check(around: &str, body: &str, wanted: impl Fn(i32) -> i32) {
    let text = format!(
        "{around}\nextern \"C\" __global__ void kernel(int* y, int n) {{ int i = threadIdx.x;\n{body}\n}}"
    );
    let source = cudac::Source { name: "kernel.cu", text: &text };
    let output =
        cudac::compile(&source, &cudac::Options::default()).unwrap_or_else(|errors| panic!("{errors}"));
    let mut emulator = Emulator::new(Limits::default());
    let module =
        emulator.load("kernel.ptx", &output.ptx).unwrap_or_else(|error| panic!("{error}\n{}", output.ptx));
    let y = emulator.alloc("y", 4 * 32).unwrap();
    let mut launch = Launch::new(1, 32).arg(y.address()).arg(32_u32);
    launch.checks = Checks::ALL;
    launch.shared_bytes = 1024;
    let report = emulator.launch(&module, "kernel", &launch).unwrap();
    assert!(report.faults.is_empty(), "{:?}\n{}", report.faults, output.ptx);
    let found: Vec<i32> = emulator
        .read(y)
        .unwrap()
        .chunks_exact(4)
        .map(|word| i32::from_le_bytes(word.try_into().unwrap()))
        .collect();
    let wanted: Vec<i32> = (0..32).map(wanted).collect();
    assert_eq!(found, wanted, "{}", output.ptx);
}

/// What is said of a text that does not compile.
#[track_caller]
pub fn refused(text: &str, wanted: &str) {
    let source = cudac::Source { name: "kernel.cu", text };
    match cudac::compile(&source, &cudac::Options::default()) {
        Ok(output) => panic!("it compiles:\n{}", output.ptx),
        Err(errors) => assert!(errors.to_string().contains(wanted), "{errors}"),
    }
}

#[test]
fn structs_with_constructors_and_operators() {
    let around = "struct Pair { int a, b; __device__ Pair(int a, int b) : a(a), b(b) {}
        __device__ Pair operator+(const Pair& o) const { return Pair(a + o.a, b + o.b); }
        __device__ Pair& operator+=(const Pair& o) { a += o.a; b += o.b; return *this; }
        __device__ int sum() const { return a + b; } };";
    check(around, "Pair p(i, 1); Pair q = p + Pair(2, 3); q += p; y[i] = q.sum();", |i| 2 * i + 7);
}

#[test]
fn lambdas_with_and_without_captures() {
    let around = "template <typename F> __device__ int twice(F f, int x) { return f(f(x)); }";
    check(around, "int k = 3; y[i] = twice([=](int x) { return x * k; }, i);", |i| 9 * i);
    check(around, "int sum = 0; auto add = [&](int x) { sum += x; }; add(i); add(2); y[i] = sum;", |i| i + 2);
    check("", "auto more = [](auto x) { return x + 1; }; y[i] = more(i);", |i| i + 1);
}

#[test]
fn templates_of_functions_and_types() {
    let around = "template <int N> struct Stack { int data[N]; int top = 0;
        __device__ void push(int v) { data[top++] = v; } __device__ int pop() { return data[--top]; } };
        template <typename T, int N> __device__ T sum(const T (&x)[N]) { T s = 0; for (int k = 0; k < N; k++) s += x[k]; return s; }";
    check(around, "Stack<8> s; s.push(i); s.push(7); y[i] = s.pop() * 100 + s.pop();", |i| 700 + i);
    check(around, "int x[3] = {1, i, 3}; y[i] = sum(x);", |i| 4 + i);
}

#[test]
fn arguments_convert_to_what_a_call_writes_in_brackets() {
    let around = "template <typename T> __device__ T twice(T x, T y) { return 2 * x + y; }
        template <typename T> __device__ int is_null(const int* p, T x) { return p == nullptr ? x : 0; }";
    check(around, "y[i] = twice<int>(1.5f, (short)i);", |i| i + 2);
    check(around, "y[i] = (int)(twice<float>(i, 1) * 4);", |i| 8 * i + 4);
    check(around, "y[i] = is_null(nullptr, i);", |i| i);
}

#[test]
fn constants_and_enumerations() {
    let around = "enum class Mode : int { Add = 3, Mul }; enum { FIVE = 5 };
        constexpr int square(int x) { return x * x; } static_assert(square(4) == 16, \"square\");
        constexpr int factorial(int n) { int f = 1; for (int k = 2; k <= n; k++) f *= k; return f; }
        __constant__ int table[4] = {10, 20, 30, 40}; namespace a { namespace b { __device__ int f() { return 1; } } }
        using namespace a; typedef int Number; using Other = Number;";
    check(around, "__shared__ int x[factorial(4)]; y[i] = sizeof(x) / 4 + (int)Mode::Mul + FIVE;", |_| 33);
    check(around, "y[i] = table[i & 3] + b::f();", |i| 10 * (i & 3) + 11);
    check(around, "Other x = 5; const Number& r = x; y[i] = r + i;", |i| i + 5);
}

#[test]
fn statements() {
    check(
        "",
        "switch (i & 3) { case 0: y[i] = 5; break; case 1: case 2: y[i] = 6; default: y[i] += 1; }",
        |i| match i & 3 {
            0 => 5,
            3 => 1,
            _ => 7,
        },
    );
    check("", "int k = 0; do { k += 2; if (k > i) break; } while (true); y[i] = k;", |i| (i / 2 + 1) * 2);
    check("", "int s = 0; for (int k = 0; k < n; k++) { if (k == i) continue; s += k; } y[i] = s;", |i| {
        496 - i
    });
    check("", "int a[4] = {3, 1, 2}; int* p = a; p[i & 3] += i; y[i] = a[0] + a[1] + a[2] + a[3];", |i| {
        6 + i
    });
}

#[test]
fn values_of_one_side_are_not_used_after_the_other() {
    let around = "__device__ int look(const int* x, int k) { return x[k] * 3; }";
    check(around, "y[i] = 2; if (i < 5 || look(y, i) > 5) y[i] += look(y, i); else y[i] = 9;", |_| 8);
    check("", "int a = i > 3 ? y[i] + 1 : 7; int b = y[i] + 1; y[i] = a * 10 + b;", |i| {
        if i > 3 { 11 } else { 71 }
    });
}

#[test]
fn integers_of_all_widths() {
    check("", "unsigned char c = (unsigned char)(i * 100); short s = c; s -= 300; y[i] = s;", |i| {
        i32::from(i16::from((i * 100) as u8) - 300)
    });
    check("", "signed char c = (signed char)(i * 50); y[i] = c;", |i| i32::from((i * 50) as i8));
    check("", "long long b = (long long)i << 33; y[i] = (int)(b >> 30);", |i| 8 * i);
    check(
        "",
        "unsigned u = i - 5; y[i] = u > 100u ? -1 : (int)u % 3;",
        |i| if i < 5 { -1 } else { (i - 5) % 3 },
    );
}

#[test]
fn the_index_of_an_array_in_memory_is_a_product_of_64_bits() {
    let body = "char a[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; long long k = i & 3; y[i] = a[k * 3];";
    check("", body, |i| 3 * (i & 3) + 1);
    check("", "long long k = i & 3; char a[10] = {0}; char* p = a; p[k * 3] = 5; y[i] = a[3] + a[4];", |i| {
        if i & 3 == 1 { 5 } else { 0 }
    });
}

#[test]
fn constants_of_unsigned_types_become_floats() {
    check("", "const double x = 2 - 466ul; y[i] = x > 1e19;", |_| 1);
    check("", "const float x = ~0u; y[i] = x > 0;", |_| 1);
}

#[test]
fn a_member_is_compared() {
    check("", "y[i] = threadIdx.x < 1 > (i - 5);", |i| i32::from(i32::from(i < 1) > i - 5));
}

#[test]
fn a_branch_that_stores_a_constant_and_reads_it_again() {
    let around = "__device__ int f(signed char x, float c) { if (c) { x &= 0; switch ((x)) { case 2: { x = 1; } default: { x &= (x); } } }
        return x; }";
    check(around, "y[i] = f(1, fminf(i, 1));", |i| i32::from(i == 0));
}

#[test]
fn groups_votes_and_shuffles() {
    let around = "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;";
    let body = "auto tile = cg::tiled_partition<8>(cg::this_thread_block()); y[i] = cg::reduce(tile, i, cg::plus<int>());";
    check(around, body, |i| (0..8).map(|k| i / 8 * 8 + k).sum());
    check(around, "cg::invoke_one(cg::this_thread_block(), [&] { y[0] = 42; });", |i| {
        if i == 0 { 42 } else { 0 }
    });
    check(
        "",
        "y[i] = __popc(__ballot_sync(0xffffffff, i % 3 == 0)) + __shfl_xor_sync(0xffffffff, i, 1);",
        |i| 11 + (i ^ 1),
    );
}

#[test]
fn atomics_and_shared_memory() {
    let around = "#include <cuda/atomic>\n__device__ int counter = 5;";
    check(
        around,
        "__shared__ int sum; if (i == 0) sum = 0; __syncthreads(); atomicAdd(&sum, i); __syncthreads(); y[i] = sum;",
        |_| 496,
    );
    let body = "cuda::atomic_ref<int, cuda::thread_scope_device> r(counter); r.fetch_add(1, cuda::memory_order_relaxed);
        __syncthreads(); y[i] = r.load(cuda::memory_order_acquire);";
    check(around, body, |_| 37);
}

/// Instructions that name no state space get generic addresses.
#[test]
fn orders_and_barriers_in_shared_memory() {
    let around = "#include <cuda/atomic>\n#include <cuda/barrier>";
    let body = "__shared__ int sum; if (i == 0) sum = 3; __syncthreads();
        cuda::atomic_ref<int, cuda::thread_scope_block> r(sum); r.fetch_add(i, cuda::memory_order_acq_rel);
        __syncthreads(); y[i] = r.load(cuda::memory_order_relaxed);";
    check(around, body, |_| 499);
    let body = "__shared__ cuda::barrier<cuda::thread_scope_block> barrier; __shared__ int x[32];
        if (i == 0) init(&barrier, 32); __syncthreads();
        x[i] = i; barrier.arrive_and_wait(); y[i] = x[31 - i];";
    check(around, body, |i| 31 - i);
}

#[test]
fn an_atomic_object_of_the_library() {
    let around = "#include <cuda/atomic>";
    let body = "__shared__ cuda::atomic<int, cuda::thread_scope_block> sum;
        if (i == 0) sum.store(5);
        __syncthreads();
        sum.fetch_add(i, cuda::memory_order_relaxed); sum++; sum += 2;
        __syncthreads();
        int now = sum.load(cuda::memory_order_acquire), other = now + 1;
        y[i] = now * 10 + sum.compare_exchange_strong(other, 7);";
    check(around, body, |_| (5 + 31 * 16 + 3 * 32) * 10);
}

#[test]
fn numbers_become_others_rounded_as_the_name_says() {
    let body = "double d = i + 0.5; float f = -1.5f - i; long long big = (1ll << 40) + 1 + i;
        y[i] = __double2int_rn(d) + 100 * __double2int_ru(d) + 10000 * __float2int_rz(f) + 1000000 * (__ll2float_ru(big) > big);
        if (__hiloint2double(__double2hiint(d), __double2loint(d)) != d) y[i] = -1;
        if (__double2ll_rd(-d) != -i - 1 || __float2ull_rn(2.5f) != 2 || __uint2float_rz(4294967295u) != 4294967040.0f) y[i] = -2;
        if (__double2float_rd(0.1) >= 0.1 || __double2float_ru(0.1) <= 0.1 || __ull2double_rn(3) != 3.0) y[i] = -3;";
    // To the nearest, of two the even one.
    check("", body, |i| (i + (i & 1)) + 100 * (i + 1) - 10000 * (i + 1) + 1_000_000);
}

#[test]
fn stores_that_say_where_they_may_be_cached() {
    check(
        "",
        "__stcs(y + i, i); __stwt(y + i, y[i] + 1); __stcg(y + i, y[i] + 1); __stwb(y + i, y[i] + 1);",
        |i| i + 3,
    );
}

#[test]
fn attributes_of_statements_change_nothing() {
    let body =
        "switch (i % 3) { case 0: y[i] += 1; [[fallthrough]]; case 1: y[i] += 2; break; default: y[i] = 9; }
        [[likely]] if (i > 40) y[i] = 0;";
    check("", body, |i| [3, 2, 9][i as usize % 3]);
}

#[test]
fn an_address_that_a_branch_chooses_may_be_in_any_space() {
    let around = "__device__ int g;";
    let body =
        "__shared__ int s; if (i == 0) s = 2, g = 3; __syncthreads(); int* p = i < 5 ? &s : &g; y[i] = *p;";
    check(around, body, |i| if i < 5 { 2 } else { 3 });
    let body = "int a = 4; int* p = i < 5 ? &a : &y[i]; *p += 6; y[i] = y[i] * 100 + a;";
    check("", body, |i| if i < 5 { 10 } else { 604 });
}

#[test]
fn an_address_in_local_or_shared_memory_that_may_be_null() {
    let around = "__device__ int* find(int* a, int n, int x) { for (int k = 0; k < n; k++) if (a[k] == x) return a + k; return nullptr; }";
    check("", "int a = i; int* p = i & 1 ? &a : nullptr; y[i] = p ? *p : -1;", |i| {
        if i & 1 == 1 { i } else { -1 }
    });
    check(
        "",
        "__shared__ int s; if (i == 0) s = 4; __syncwarp(); int* p = nullptr; if (i > 3) p = &s; y[i] = p == nullptr ? 9 : *p;",
        |i| {
            if i > 3 { 4 } else { 9 }
        },
    );
    check(
        around,
        "int a[4] = {3, 5, i, 9}; int* p = find(a, 4, 7); y[i] = p ? (int)(p - a) : -1; if (p) a[1] = 0, *p = 1;",
        |i| {
            if i == 7 { 2 } else { -1 }
        },
    );
}

#[test]
fn a_union_is_copied_with_the_bytes_that_are_padding_in_one_member() {
    let around = "union Both { char raw[8]; struct { char a; int b; } parts; };
        union Half { struct { char a; int b; } parts; char raw[4]; };";
    let body =
        "Both u; for (int k = 0; k < 8; k++) u.raw[k] = i + k; Both v = u; y[i] = v.raw[2] * 256 + v.raw[7];";
    check(around, body, |i| (i + 2) * 256 + i + 7);
    let body = "Half u; for (int k = 0; k < 4; k++) u.raw[k] = i + k; u.parts.b = 5; Half v = u; y[i] = v.raw[2] * 256 + v.parts.b;";
    check(around, body, |i| (i + 2) * 256 + 5);
}

#[test]
fn atomics_of_the_library_in_shared_memory() {
    let body = "__shared__ cuda::barrier<cuda::thread_scope_block> filled; __shared__ int x[32]; __shared__ int sum;
        if (i == 0) { init(&filled, 32); sum = 0; } __syncthreads();
        x[i] = i; cuda::atomic_ref<int, cuda::thread_scope_block>(sum).fetch_add(i, cuda::memory_order_relaxed);
        filled.arrive_and_wait(); y[i] = x[(i + 1) % 32] + sum;";
    check("#include <cuda/atomic>\n#include <cuda/barrier>", body, |i| (i + 1) % 32 + 496);
}

#[test]
fn inline_asm_and_halves() {
    check(
        "",
        "int r; asm(\"mad.lo.s32 %0, %1, %2, %3;\" : \"=r\"(r) : \"r\"(i), \"r\"(3), \"r\"(4)); y[i] = r;",
        |i| 3 * i + 4,
    );
    check("", "int r = i * i; asm(\"add.s32 %0, %0, %1;\" : \"+r\"(r) : \"r\"(i)); y[i] = r;", |i| i * i + i);
    let body = "int a[2] = {i, 2 * i};
        for (int n = 0; n < 3; n++) asm(\"{ .reg .s32 t; add.s32 t, %0, %1; mov.s32 %0, %1; mov.s32 %1, t; }\" : \"+r\"(a[0]), \"+r\"(a[1]));
        y[i] = a[0] * 100 + a[1];";
    check("", body, |i| 508 * i);
    check(
        "#include <cuda_fp16.h>",
        "half h = __float2half(i + 0.5f); y[i] = (int)(__half2float(h) * 2.0f);",
        |i| 2 * i + 1,
    );
}

/// The PTX instructions that one thread executes for a number of turns.
fn instructions(body: &str, turns: u32) -> u64 {
    let text =
        format!("extern \"C\" __global__ void kernel(int* y, int n) {{ int i = threadIdx.x;\n{body}\n}}");
    let source = cudac::Source { name: "kernel.cu", text: &text };
    let output = cudac::compile(&source, &cudac::Options::default()).unwrap();
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("kernel.ptx", &output.ptx).unwrap();
    let y = emulator.alloc("y", 4096).unwrap();
    let launch = Launch::new(1, 32).arg(y.address()).arg(turns);
    emulator.launch(&module, "kernel", &launch).unwrap().counters.ptx_instructions
}

#[test]
fn what_is_the_same_in_every_turn_is_computed_once() {
    let body = "#pragma unroll 1
        for (int k = 0; k < n; k++) y[(i * 5 + 3) / 7] += k;";
    // A load, an addition, a store, the next k, and the test of it with the branch.
    assert_eq!(instructions(body, 30) - instructions(body, 10), 20 * 6);
    let nested = "#pragma unroll 1
        for (int j = 0; j < n; j++)
            #pragma unroll 1
            for (int k = 0; k < 10; k++) y[(i * 5 + 3) / 7 + (j * 9 + n)] += k;";
    let outer = (instructions(nested, 5) - instructions(nested, 2)) / 3;
    assert!((60..75).contains(&outer), "{outer}");
    check(
        "",
        "int x = 7; for (int k = 0; k < 3; k++) { if (k == i) x = i * 3 + 2; y[i] += x; }",
        |i| match i {
            0 => 6,
            1 => 7 + 5 + 5,
            2 => 7 + 7 + 8,
            _ => 21,
        },
    );
}

#[test]
fn special_cases_of_templates() {
    let around = "template <typename T> struct Is { __device__ static int f() { return 1; } };
        template <> struct Is<float> { __device__ static int f() { return 2; } };
        template <typename T> struct Is<T*> { __device__ static int f() { return 3 + Is<T>::f(); } };
        template <typename T> __device__ int f(T x) { return 1; }
        template <> __device__ int f<float>(float x) { return 2; }
        template <> __device__ int f(double x) { return 3; }
        template <int N> struct Product { static constexpr int value = N * Product<N - 1>::value; };
        template <> struct Product<0> { static constexpr int value = 1; };";
    check(around, "y[i] = Is<int>::f() * 100 + Is<float>::f() * 10 + Is<float*>::f();", |_| 125);
    check(around, "y[i] = f(i) * 100 + f(1.0f) * 10 + f(1.0);", |_| 123);
    check(around, "y[i] = Product<5>::value;", |_| 120);
}

/// A struct that has a constructor from a number as well has two ways for its first argument; looking for one must end.
#[test]
fn copies_are_made_by_the_constructor_that_the_text_has() {
    let around = "struct V {
            int x;
            __device__ V(int x) : x(x) {}
            __device__ V(const V& other) : x(other.x + 10) {}
        };
        __device__ int by_value(V v) { return v.x; }
        __device__ int by_reference(const V& v) { return v.x; }";
    check(around, "V a(i); V b = a; V c(b); y[i] = c.x;", |i| i + 20);
    check(around, "V a = i; y[i] = by_value(a) * 100 + by_reference(a);", |i| (i + 10) * 100 + i);
    check(around, "y[i] = by_value(V(i)) * 100 + by_reference(i);", |i| i * 100 + i);
}

#[test]
fn lines_and_files_are_those_of_the_outermost_macro() {
    let around = "#define LINE() __LINE__\n#define NEXT() (LINE() + 1)\n";
    check(around, "\n y[i] = NEXT() - __LINE__ + (__FILE__[7] == 'c' ? 10 : 0);", |_| 11);
}

#[test]
fn variables_that_are_defined_elsewhere() {
    let around = "extern \"C\" const int ELSEWHERE; extern const int LATER; const int LATER = 4;";
    check(around, "y[i] = LATER;", |_| 4);
}

#[test]
fn a_group_of_one_type_becomes_another() {
    let around = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;
        __device__ int f(cg::thread_group group, int x) { return group.size() * 100 + x; }";
    check(around, "auto tile = cg::tiled_partition<16>(cg::this_thread_block()); y[i] = f(tile, i);", |i| {
        1600 + i
    });
}

#[test]
fn pairs_of_halves() {
    let around = "#include <cuda_fp16.h>";
    let body = "half2 a = __floats2half2_rn(i, 2); a = __hfma2(a, a, a); a += half2(half(1.0f), half(2.0f));
        y[i] = (int)__low2float(a) * 100 + (int)__high2float(a);";
    check(around, body, |i| (i * i + i + 1) * 100 + 8);
    // The sum is between two numbers, and is rounded to the even one.
    let body = "half a = __hfma(half(1.0f), half(1.0f + 0.0009765625f), half(i ? 0.00048828125f : 0.0f));
        y[i] = __half_as_ushort(a) - 0x3c00;";
    check(around, body, |i| if i == 0 { 1 } else { 2 });
}

#[test]
fn upper_halves_of_floats() {
    let around = "#include <cuda_bf16.h>";
    check(around, "y[i] = __bfloat16_as_ushort(__float2bfloat16(1 + i / 512.0f)) - 0x3f80;", |i| {
        match i % 4 {
            3 => i / 4 + 1,
            2 => i / 4 + i / 4 % 2,
            _ => i / 4,
        }
    });
    // The product is between two numbers, so what is added decides.
    let body = "__nv_bfloat16 a = 1.625f, b = 1.3125f, c = i ? 9.3e-10f : 0.0f;
        y[i] = (int)((float)__hfma(a, b, c) * 64);";
    check(around, body, |i| if i == 0 { 136 } else { 137 });
}

/// CUDA C++ Programming Guide, "Load Functions Using Cache Hints", and CUDA Math API for the halves: for each of these types.
#[test]
fn loads_and_stores_with_hints() {
    let types = "char signed-char short int long long-long unsigned-char unsigned-short unsigned unsigned-long unsigned-long-long \
        char2 char4 short2 short4 int2 int4 longlong2 uchar2 uchar4 ushort2 ushort4 uint2 uint4 ulonglong2 float float2 float4 \
        double double2 __half __half2 __nv_bfloat16 __nv_bfloat162";
    let words: Vec<String> =
        (0..128_u32).map(|word| format!("{}u", word.wrapping_mul(0x9e37_79b1))).collect();
    for ty in types.split_whitespace().map(|ty| ty.replace('-', " ")) {
        let around = format!(
            "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\ntypedef {ty} T; __device__ T b[32];
            __device__ __align__(16) unsigned a[128] = {{{}}};",
            words.join(", ")
        );
        let body = "const T* from = (const T*)a + i;
            __stwb(b + i, __ldg(from)); __stcg(b + i, __ldcg(b + i)); __stcs(b + i, __ldca(b + i));
            __stwt(b + i, __ldcs(b + i)); __stwb(b + i, __ldcv(b + i)); __stwb(b + i, __ldlu(b + i));
            const unsigned char *p = (const unsigned char*)from, *q = (const unsigned char*)(b + i);
            y[i] = sizeof(T); for (int k = 0; k < sizeof(T); k++) y[i] -= p[k] == q[k];";
        check(&around, body, |_| 0);
    }
}

#[test]
fn halves_are_added_in_memory() {
    for (one, two) in [("__half", "__half2"), ("__nv_bfloat16", "__nv_bfloat162")] {
        let around = format!(
            "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\ntypedef {one} H; typedef {two} H2; __device__ H sum[3]; __device__ H2 pair;"
        );
        // Each lane sees another number of those before it.
        let body = "__shared__ int seen; if (threadIdx.x == 0) seen = 0; __syncthreads();
            H old = atomicAdd(&sum[1], H(1.0f)); H2 both = atomicAdd(&pair, H2(H(2.0f), H(-1.0f)));
            atomicAdd(&seen, (int)(float)old * 1000 + (int)(float)both.x / 2); __syncthreads();
            y[i] = seen + (int)(float)sum[1] * 1000000 - (int)(float)pair.y * 2000000 + (int)(float)sum[0] + (int)(float)sum[2];";
        check(&around, body, |_| 96_496_496);
    }
    check(
        "__device__ unsigned short s[2] = {5, 7};",
        "unsigned short old = atomicCAS(s + 1, (unsigned short)7, (unsigned short)9); y[i] = s[0] * 10 + s[1] + (old & 1);",
        |_| 60,
    );
}

#[test]
fn ranges() {
    let around = "struct Part { int* p; int n; __device__ int* begin() const { return p; } __device__ int* end() const { return p + n; } };";
    check(
        "",
        "int a[4] = {1, 2, 3, i}, s = 0; for (int& x : a) x *= 2; for (const auto x : a) s += x; y[i] = s;",
        |i| 12 + 2 * i,
    );
    let body = "int a[8], s = 0; for (int k = 0; k < 8; k++) a[k] = k;
        for (int x : Part{a, 7}) { if (x == 2) continue; if (x == 5) break; s += x; } Part p{a, 2}; for (int& x : p) x = 40; y[i] = s + a[1];";
    check(around, body, |_| 8 + 40);
}

/// A text in quotes is an array with a zero at its end, and only elsewhere a pointer.
#[test]
fn the_size_of_a_text_is_that_of_its_array() {
    check("", "y[i] = sizeof(\"lane\") + 10 * sizeof \"a\" \"b\" + 100 * sizeof(&\"lane\"[1]);", |_| {
        5 + 30 + 800
    });
    check("", "const char* text = \"lane\"; y[i] = sizeof(text);", |_| 8);
}

/// C++17, [stmt.ranged]: a loop may go over the values in braces.
#[test]
fn a_loop_goes_over_a_list() {
    check("", "for (int k : {3, i, 5}) { if (k == 4) continue; y[i] = y[i] * 10 + k; }", |i| {
        if i == 4 { 35 } else { 300 + 10 * i + 5 }
    });
    check("", "for (auto x : {0.5f, 1.5f}) for (const auto& k : {1, 2}) y[i] += x * 2 * k;", |_| 12);
    check("", "for (float x : {1, 2}) for (unsigned k : {i, i + 1}) y[i] += x / 2 * k + x;", |i| {
        // Each sum is cut off when it is stored.
        [1.0, 2.0]
            .into_iter()
            .flat_map(|x| [i, i + 1].map(|k| (x, f64::from(k))))
            .fold(0, |y, (x, k)| (f64::from(y) + x / 2.0 * k + x) as i32)
    });
    check("struct P { int a, b; };", "for (P p : {P{1, i}, P{2, 3}}) y[i] += p.a * p.b;", |i| i + 6);
    check("", "for (const char* word : {\"ab\", \"c\"}) y[i] = y[i] * 1000 + word[0];", |_| 97_099);
    refused("__global__ void k(int* y) { for (int x : {}) y[x] = 1; }", "type");
}

/// NVIDIA's compiler writes out less than a pragma asks for, too, where that would be too much.
#[test]
fn loops_that_would_become_too_large_stay_loops() {
    let body = "
        #pragma unroll
        for (int a = 0; a < 128; a++) {
            #pragma unroll
            for (int b = 0; b < 32; b++) y[i] += (int)roundf(powf(2.0f, (float)((a ^ b) & 3)));
        }";
    check("", body, |_| 128 * 8 * 15);
}
