//! What host code uses of C++.

mod common;

use common::printed;

/// An object that says when it begins and ends.
const NOISY: &str = "struct Noisy {
    int id;
    Noisy(int i) : id(i) { printf(\"+%d \", id); }
    ~Noisy() { printf(\"-%d \", id); }
};";

#[test]
fn objects_end_with_their_block_the_last_one_first() {
    assert_eq!(printed(NOISY, "Noisy a(1); { Noisy b(2), c(3); } printf(\"| \");"), "+1 +2 +3 -3 -2 | -1 ");
}

#[test]
fn objects_end_when_a_loop_or_a_function_is_left() {
    let around = format!(
        "{NOISY}\nint f(int x) {{
            Noisy outer(0);
            for (int i = 1; i < 9; i++) {{ Noisy inner(i); if (i == 1) continue; if (i == x) return i; }}
            return -1;
        }}"
    );
    assert_eq!(printed(&around, "printf(\"= %d\", f(2));"), "+0 +1 -1 +2 -2 -0 = 2");
    let body =
        "for (int i = 0; i < 3; i++) { Noisy n(i); if (i == 1) break; } switch (1) { case 1: Noisy s(9); }";
    assert_eq!(printed(NOISY, body), "+0 -0 +1 -1 +9 -9 ");
}

#[test]
fn members_and_elements_end_with_what_they_are_part_of() {
    let around = format!(
        "{NOISY}\nstruct Two {{ Noisy a, b; Two() : a(1), b(2) {{}} ~Two() {{ printf(\"two \"); }} }};"
    );
    assert_eq!(printed(&around, "Two t;"), "+1 +2 two -2 -1 ");
    assert_eq!(printed(NOISY, "Noisy list[2] = {Noisy(1), Noisy(2)};"), "+1 +2 -2 -1 ");
}

#[test]
fn temporaries_end_with_their_expression() {
    let around = format!(
        "{NOISY}\nNoisy make(int i) {{ return Noisy(i); }}\nint id(const Noisy& n) {{ return n.id; }}"
    );
    assert_eq!(printed(&around, "make(1); printf(\"| \");"), "+1 -1 | ");
    assert_eq!(printed(&around, "int x = make(1).id; printf(\"%d \", x);"), "+1 -1 1 ");
    assert_eq!(printed(&around, "int x = id(Noisy(4)); printf(\"%d \", x);"), "+4 -4 4 ");
    assert_eq!(printed(&around, "const Noisy& kept = make(5); printf(\"| \");"), "+5 | -5 ");
}

#[test]
fn what_a_function_returns_is_not_destroyed_by_it() {
    let around = format!("{NOISY}\nNoisy make() {{ Noisy made(1); printf(\"made \"); return made; }}");
    assert_eq!(printed(&around, "Noisy n = make(); printf(\"| \");"), "+1 made | -1 ");
}

#[test]
fn new_and_delete_call_constructors_and_destructors() {
    assert_eq!(printed(NOISY, "Noisy* n = new Noisy(7); delete n;"), "+7 -7 ");
    let around = format!("{NOISY}\nstruct Two {{ Noisy a; Two() : a(3) {{}} }};");
    assert_eq!(printed(&around, "Two* t = new Two[2]; delete[] t;"), "+3 +3 -3 -3 ");
    assert_eq!(
        printed("", "int* x = new int(5); int* y = new int[3](); printf(\"%d %d\", *x, y[2]);"),
        "5 0"
    );
}

#[test]
fn device_memory_that_an_object_owns_is_freed_by_its_destructor() {
    let around = "template <typename T> class Buffer {
        T* data;
    public:
        explicit Buffer(size_t n) { cudaMalloc(&data, n * sizeof(T)); }
        ~Buffer() { cudaFree(data); }
        Buffer(const Buffer&) = delete;
        Buffer(Buffer&& other) : data(other.data) { other.data = nullptr; }
        T* get() const { return data; }
    };
    Buffer<int> make(size_t n) { Buffer<int> made(n); return made; }";
    // A leak would be a finding.
    assert_eq!(printed(around, "Buffer<int> b = make(32); printf(\"%d\", b.get() != nullptr);"), "1");
}

#[test]
fn pointers_to_functions_are_called() {
    let around = "int twice(int x) { return 2 * x; }\nint next(int x) { return x + 1; }
        typedef int (*Op)(int);\nint apply(int (*op)(int), int x) { return op(x); }
        template <typename F> int both(F f, int x) { return f(f(x)); }
        struct Holder { Op op; };";
    let body = "Op ops[2] = {twice, &next}; Holder h = {next};
        printf(\"%d %d %d %d\", apply(twice, 21), (*ops[1])(4), both(next, 5), h.op(1));";
    assert_eq!(printed(around, body), "42 5 7 2");
}

#[test]
fn a_null_pointer_to_a_function_is_a_finding() {
    let outcome = common::run("int main() {\n    int (*f)(int) = nullptr;\n    return f(1);\n}");
    let first = &outcome.findings[0];
    assert_eq!(
        (first.kind.name(), first.line.number(), &first.message[..]),
        ("out-of-bounds", 3, "a null pointer is called")
    );
}

#[test]
fn kernels_are_launched_through_pointers_and_by_the_runtime() {
    let around = "__global__ void set(int* p) { p[threadIdx.x] = threadIdx.x; }
        template <typename T> __global__ void same(T* p, T value) { p[threadIdx.x] = value; }";
    let body = "int *d, h[32]; cudaMalloc(&d, 128);
        void (*kernel)(int*, int) = same<int>; kernel<<<1, 32>>>(d, 7);
        cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost); printf(\"%d \", h[31]);
        void* arguments[] = {&d};
        cudaLaunchKernel((void*)set, dim3(1), dim3(32), arguments, 0, 0);
        cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost); printf(\"%d\", h[31]);
        cudaFree(d);";
    assert_eq!(printed(around, body), "7 31");
}

#[test]
fn variables_outside_of_functions_get_values_before_main() {
    let around = format!(
        "{NOISY}\nconst char* name = \"lanes\"; const double root = sqrt(16.0);\nint doubled = 2 * (int)root; Noisy early(1);"
    );
    assert_eq!(printed(&around, "printf(\"%s %g %d\", name, root, doubled);"), "+1 lanes 4 8");
}

#[test]
fn a_constant_that_is_an_assignment_assigns() {
    assert_eq!(printed("int n = 0;\nconst int c = (n = 3) + 1;", "printf(\"%d %d\", n, c);"), "3 4");
}

#[test]
fn declarations_come_before_definitions() {
    let around = "template <typename T> T half(const T& x);\n__global__ void set(const int n, int* p);
        template <typename T>\nT half(const T& x) { return x / 2; }\n__global__ void set(const int n, int* p) { *p = n; }";
    let body = "int *d, h; cudaMalloc(&d, 4); set<<<1, 1>>>(half(18), d);
        cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); printf(\"%d\", h); cudaFree(d);";
    assert_eq!(printed(around, body), "9");
}

#[test]
fn a_name_after_two_colons_is_that_of_the_outermost_scope() {
    let around = "int f(int x) { return x; }\nnamespace inner { int f(int x) { return ::f(x) + 1; } }";
    assert_eq!(printed(around, "printf(\"%d\", inner::f(1));"), "2");
}

#[test]
fn a_macro_may_stand_for_the_name_of_another() {
    let around = "#define ADD(a, b) ((a) + (b))\n#define CHOSEN ADD\n#define APPLY(f, a, b) f(a, b)\n#define TWICE APPLY";
    assert_eq!(printed(around, "printf(\"%d %d\", CHOSEN(1, 2), TWICE(CHOSEN, 3, 4));"), "3 7");
}

#[test]
fn templates_nested_in_others_close_with_two_angles() {
    let body = "std::vector<std::vector<double>> rows(2); rows[0].push_back(1.5); printf(\"%g %d\", rows[0][0], (int)rows[1].size());";
    assert_eq!(printed("#include <vector>", body), "1.5 0");
}

#[test]
fn a_managed_variable_is_the_hosts_and_the_devices() {
    let around = "__managed__ int count;\n__global__ void add() { count += 2; }";
    let body = "count = 40; add<<<1, 1>>>(); cudaDeviceSynchronize(); printf(\"%d\", count);";
    assert_eq!(printed(around, body), "42");
}

#[test]
fn an_array_may_hold_pointers_to_functions() {
    let around = "void f(float* x) { *x += 1; }\nvoid g(float* x) { *x *= 2; }";
    let body = "void (*both[2])(float*); both[0] = f; both[1] = &g; float x = 1;
        for (int i = 0; i < 2; i++) both[i](&x); printf(\"%g\", x);";
    assert_eq!(printed(around, body), "4");
}

/// `nvcc` accepts it with a warning.
#[test]
fn a_text_may_be_a_pointer_to_characters() {
    let around = "void say(char* what) { printf(\"%s\", what); }";
    assert_eq!(printed(around, "char* t = \"he\"; say(t); say(\"llo\");"), "hello");
}

#[test]
fn an_array_of_characters_may_begin_as_a_text() {
    let around = "struct Named { char name[8]; int n; };\nchar all[] = \"global\";";
    let body = "char a[] = \"abc\", b[8] = \"de\", words[2][6] = {\"first\", \"two\"}; Named n = {\"xy\", 3};
        b[2] = 'f'; all[0] = 'G';
        printf(\"%s %d %s %d %s %s %s%d %s\", a, (int)sizeof(a), b, b[7], words[0], words[1], n.name, n.n, all);";
    assert_eq!(printed(around, body), "abc 4 def 0 first two xy3 Global");
}

#[test]
fn a_variable_that_is_declared_with_its_type_is_one_of_the_function() {
    let around = "int depth(int n) { union { float f; unsigned u; } v; v.f = n; if (n > 0) depth(n - 1); return v.f == n; }";
    let body = "struct { int a, b; } p; p.a = 1; p.b = 2;
        for (int i = 0; i < 3; i++) { struct Q { int x = 5; } q; q.x++; printf(\"%d \", q.x); }
        const struct { int a; } c = {7}; enum { A, B = 4 } e = B; static struct { int n; } s = {3}; s.n++;
        for (struct { int i, j; } k = {0, 9}; k.i < 2; k.i++) p.b += k.j;
        printf(\"%d %d %d %d %d %d\", depth(3), p.a, p.b, c.a, e, s.n);";
    assert_eq!(printed(around, body), "6 6 6 1 1 20 7 4 4");
}

#[test]
fn temporaries_are_no_variables() {
    let around = "struct B { int v; B& me() { return *this; } B other() { return *this; } void set(int x) { v = x; } };
        struct R { int a[2]; int* begin() { return a; } int* end() { return a + 2; } R& me() { return *this; } };";
    let body = "B b{1}; b.other().set(2); B(b).set(3); (b.v ? b : B{9}).other().set(4); printf(\"%d \", b.v);
        b.me().set(5); printf(\"%d \", b.v);
        R r{{1, 2}}; for (int& x : r.me()) x *= 10; printf(\"%d %d\", r.a[0], r.a[1]);";
    assert_eq!(printed(around, body), "1 5 10 20");
}

#[test]
fn overloads_tell_what_may_be_moved_from() {
    let around = format!(
        "#include <utility>\n#include <string>\n#include <vector>\n{NOISY}\nstruct M {{ int v; M(int v) : v(v) {{}} M(const M& o) : v(o.v) {{ printf(\"copy \"); }}
            M(M&& o) : v(o.v) {{ o.v = 0; printf(\"move \"); }} }};
        M make() {{ M m(3); return m; }} M give(M m) {{ return m; }}
        void f(const M&) {{ printf(\"const \"); }} void f(M&&) {{ printf(\"rvalue \"); }} void f(M&) {{ printf(\"lvalue \"); }}
        template <typename T> void pass(T&& x) {{ f(std::forward<T>(x)); }}"
    );
    let body = "M a(1); M b = a; M c = std::move(a); printf(\"%d %d %d \", a.v, b.v, c.v);
        f(a); f(M(1)); f(std::move(a)); const M k(2); f(k); pass(a); pass(M(1)); pass(k); give(b); printf(\"%d\", b.v);";
    let wanted = "copy move 0 1 1 lvalue rvalue rvalue const lvalue rvalue const copy move 1";
    assert_eq!(printed(&around, body), wanted);
}

/// CUDA programming guide, "`__CUDA_ARCH__`": it is undefined when host code is compiled.
#[test]
fn a_function_of_both_sides_knows_on_which_side_it_is() {
    let around = "#ifdef __CUDACC_RTC__
        #error a program is not read by NVRTC
        #endif
        __host__ __device__ int side() {
        #ifdef __CUDA_ARCH__
            return __CUDA_ARCH__ >= 700 ? 2 : 3;
        #else
            return 1;
        #endif
        }
        __global__ void k(int* x) { *x = side(); }";
    let body = "int *d, h = 0; cudaMalloc(&d, 4); k<<<1, 1>>>(d); cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); cudaFree(d);
        printf(\"%d %d\", side(), h);";
    assert_eq!(printed(around, body), "1 2");
}

#[test]
fn an_array_of_objects_with_destructors_has_a_bound() {
    let around = "int count = 0; struct S { int x; ~S() { count++; } };";
    assert_eq!(printed(around, "{ S s[4096]; s[0].x = 1; } printf(\"%d\", count);"), "4096");
    let text = format!("{around} int main() {{ S s[4097]; }}");
    let source = cudac::Source { name: "program.cu", text: &text };
    let errors = cudac::compile_program(&source, &cudac::Options::default()).map(|_| ()).unwrap_err();
    assert!(errors.to_string().contains("4096 objects with destructors"), "{errors}");
}

#[test]
fn host_code_has_no_shared_memory() {
    for text in [
        "int main() { __shared__ int s[4]; return s[0]; }",
        "void f() { __shared__ int s; } int main() { f(); }",
    ] {
        let source = cudac::Source { name: "program.cu", text };
        let errors = cudac::compile_program(&source, &cudac::Options::default()).map(|_| ()).unwrap_err();
        assert!(errors.to_string().contains("function of the host cannot be `__shared__`"), "{errors}");
    }
}

#[test]
fn jumps_go_forwards_backwards_and_out_of_blocks() {
    let body = "int k = 0; again: k++; if (k < 3) goto again; printf(\"%d \", k);
        for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) if (i * j == 12) { printf(\"%d %d \", i, j); goto found; }
        printf(\"never \"); found: ;
        int n = 0; back: { Noisy a(n); n++; if (n < 2) goto back; }
        { once: Noisy b(5); if (n++ < 3) goto once; }";
    assert_eq!(printed(NOISY, body), "3 2 6 +0 -0 +1 -1 +5 -5 +5 -5 ");
}

/// What nvcc includes by itself.
#[test]
fn names_that_need_no_header() {
    let around =
        "__global__ void k(double* d) { d[0] = std::pow(2.0, 3.0) + std::min(1, 2) + std::abs(-2.5); }";
    let body = "double h, *d; cudaMalloc(&d, 8); k<<<1, 1>>>(d); cudaMemcpy(&h, d, 8, cudaMemcpyDeviceToHost); cudaFree(d);
        std::size_t n = 3; std::printf(\"%g %zu %g %g %d \", h, n, std::abs(-2.5), std::pow(2.0, 3.0), std::max(3, 4));
        double v = NAN; printf(\"%d %d %d %.3f\", INFINITY > 1e300 && HUGE_VAL > 1e300, v != v, INT_MAX, M_PI);";
    assert_eq!(printed(around, body), "11.5 3 2.5 8 4 1 1 2147483647 3.142");
    // The text's own names come first.
    let around = "int min(int a, int b) { return 7; } #\n#define M_PI 3\nnamespace mine { int abs(int x) { return 1; } }";
    let around = around.replace(" #", "");
    assert_eq!(printed(&around, "printf(\"%d %d %d\", min(1, 2), M_PI, mine::abs(-3));"), "7 3 1");
}

#[test]
fn functions_of_both_sides_copy_memory() {
    let around = "#include <cstring>\n__host__ __device__ int copied(const int4& v) { int a[4]; memcpy(a, &v, sizeof a); memset(a, 0, 4); return a[0] + a[1]; }
        __global__ void k(int* y) { *y = copied(make_int4(1, 2, 3, 4)); }";
    let body = "int h, *d; cudaMalloc(&d, 4); k<<<1, 1>>>(d); cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); cudaFree(d);
        printf(\"%d %d\", h, copied(make_int4(5, 6, 7, 8)));";
    assert_eq!(printed(around, body), "2 6");
}

#[test]
fn atomics_of_the_library_in_host_code() {
    let around = "#include <cuda/atomic>\n#include <algorithm>";
    let body = "cuda::atomic<int> a; a = 3; int v = a; a++; cuda::std::atomic<float> f{2.0f}; f.fetch_add(1.5f); f.fetch_max(9.0f);
        float e = 9; bool same = f.compare_exchange_strong(e, 1.0f); const cuda::atomic<int> c(7);
        printf(\"%d %d %g %d %d %d\", v, a.load(), (float)f, same, c.load(), a == 4);
        int x = 1, y = 2; std::swap(x, y); printf(\" %d %d\", x, std::min(x, y));";
    assert_eq!(printed(around, body), "3 4 1 1 7 1 2 1");
}

#[test]
fn a_launch_in_a_lambda_captures_its_arguments() {
    let around = "__global__ void k(int* y, int v) { if (threadIdx.x == 0) *y = v; }";
    let body = "int h, *d, v = 4, threads = 32; cudaMalloc(&d, 4); auto go = [&](int blocks) { k<<<blocks, threads>>>(d, v); }; auto copy = [=] { k<<<1, 1>>>(d, v + 1); };
        go(1); v = 9; copy(); cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); cudaFree(d); printf(\"%d\", h);";
    assert_eq!(printed(around, body), "5");
}

#[test]
fn a_variable_is_known_in_its_own_initialiser() {
    let body = "int* p = (int*)malloc(3 * sizeof(*p)); p[2] = 4; struct N { N* next; int v; } n = {&n, 5};
        printf(\"%d %d\", p[2], n.next->next->v); free(p);";
    assert_eq!(printed("", body), "4 5");
}

#[test]
fn a_function_may_be_an_argument_of_a_template() {
    let around = "using op_t = float (*)(float);
        __host__ __device__ float twice(float x) { return 2 * x; } __host__ __device__ float half_of(float x) { return x / 2; }
        template <op_t op> __host__ __device__ float apply(float x) { return op(x); }
        template <float (*F)(float), int N> struct Op { __host__ __device__ static float run(float x) { return F(x) + N; } };
        template <op_t op> __global__ void k(float* y) { y[0] = apply<op>(3) + Op<half_of, 5>::run(8); }";
    let body = "float h, *d; cudaMalloc(&d, 4); k<twice><<<1, 1>>>(d); cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
        printf(\"%g %g \", h, apply<&twice>(4)); k<half_of><<<1, 1>>>(d); cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); cudaFree(d); printf(\"%g\", h);";
    assert_eq!(printed(around, body), "15 8 10.5");
}

#[test]
fn a_static_variable_of_a_function_of_both_sides_is_one_on_each() {
    let around = "__host__ __device__ int next(int k) { static const int table[3] = {10, 20, 30}; static int calls = 0; return table[k] + calls++; }
        __global__ void k(int* y) { y[0] = next(1); y[0] += next(2); }";
    let body = "int h, *d; cudaMalloc(&d, 4); next(0); k<<<1, 1>>>(d); cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); cudaFree(d);
        printf(\"%d %d\", h, next(0));";
    assert_eq!(printed(around, body), "51 11");
}

#[test]
fn a_function_may_be_declared_before_the_types_that_it_takes_are_used() {
    // Comparing the declarations makes the methods of what the reference refers to.
    let around = "#include <vector>\n#include <string>
        template <class T> struct Box { T value; Box(T v) : value(v) {} T twice() { return 2 * value; } };
        int load(std::vector<float>& v, Box<int> b); int load(std::vector<float>& v, Box<int> b);
        __host__ __device__ int plain(Box<float>& b);
        std::string name(const std::vector<std::string>& all);";
    let body =
        "std::vector<float> v; std::vector<std::string> all; all.push_back(\"a\"); all.push_back(\"b\");
        printf(\"%d %s\", load(v, Box<int>(4)), name(all).c_str()); printf(\" %d\", (int)v.size());
        Box<float> b(1.5f); printf(\" %d\", plain(b)); }
        int load(std::vector<float>& v, Box<int> b) { v.push_back(1.0f); return b.twice(); }
        __host__ __device__ int plain(Box<float>& b) { return (int)b.twice(); }
        std::string name(const std::vector<std::string>& all) { return all[0] + all[1];";
    assert_eq!(printed(around, body), "8 ab 1 3");
}

/// As a constant, too: C++17, [alg.min.max].
#[test]
fn the_largest_of_a_constant_array() {
    let around = "#include <algorithm>
        constexpr int DIMS[3] = {4, 8, 2}; const float F[3] = {4, 8, 2};
        constexpr int MOST = *std::max_element(DIMS, DIMS + 3);
        struct S { static constexpr int sizes[2] = {6, 5}; };";
    let body = "constexpr int L[4] = {1, 9, 3, 2}; const int C[4] = {3, 9, 1, 2};
        constexpr int least = *std::min_element(std::begin(DIMS), std::end(DIMS));
        int x[*std::max_element(L, L + 4)], y[*std::min_element(S::sizes, S::sizes + 2)];
        static_assert(sizeof(x) == 36 && sizeof(y) == 20, \"\");
        printf(\"%d %d %d %g \", MOST, least, *std::min_element(C, C + 4), *std::max_element(F, F + 3));
        printf(\"%d %d\", (int)(std::max_element(L, L + 4) - L), *std::max_element(DIMS, DIMS + 2));";
    assert_eq!(printed(around, body), "8 2 1 8 1 8");
}

/// A constant gets memory if its address is taken.
#[test]
fn constant_variables_have_addresses() {
    let around = "constexpr float RATE = 3.9f; const int NUM = 7; namespace n { constexpr unsigned U = 5; }
        struct S { static constexpr int N = 4; static const int M = 3; };
        __constant__ int symbol; const void* table[] = {&RATE, &NUM};
        __global__ void k(float a, int b, float c, int* out) { *out = a == 3.9f && b == 7 && c == 1.5f && symbol == 7; }";
    let body = "constexpr float LOCAL = 1.5f; const int here = 12; static constexpr int lasting = 8; int *out, h;
        cudaMalloc(&out, 4); void* args[] = {(void*)&RATE, (void*)&NUM, (void*)&LOCAL, &out};
        cudaMemcpyToSymbol(symbol, &NUM, sizeof(int)); cudaLaunchKernel((void*)k, dim3(1), dim3(1), args, 0, 0);
        cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost); cudaFree(out);
        const int *a = &S::N, *b = &S::M, *c = &here, *d = &lasting; const unsigned* u = &n::U;
        auto f = [&] { const int* x = &here; const int* y = &NUM; return *x + *y; };
        printf(\"%d | %d %d %d %d %u | %g %d | \", h, *a, *b, *c, *d, *u, *(const float*)table[0], *(const int*)table[1]);
        printf(\"%d %d %d\", f(), &NUM == &NUM, &NUM == (const int*)table[1]);";
    assert_eq!(printed(around, body), "1 | 4 3 12 8 5 | 3.9 7 | 19 1 1");
    for text in [
        "enum { RED = 1 }; int main() { const int* p = &RED; return *p; }",
        "template <int N> int f() { const int* p = &N; return *p; } int main() { return f<3>(); }",
        "constexpr int N = 3; __global__ void k(const int** p) { *p = &N; } int main() { return 0; }",
    ] {
        let source = cudac::Source { name: "program.cu", text };
        let compiled = cudac::compile_program(&source, &cudac::Options::default());
        let errors = compiled.err().unwrap_or_else(|| panic!("{text} compiles")).to_string();
        assert!(errors.contains("this value has no address"), "{errors}");
    }
}
