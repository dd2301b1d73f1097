//! The names of kernels that are not `extern "C"`: what NVRTC 12.9 calls them.

const TEXT: &str = r"
enum Mode { A, B };
typedef struct { int a[4]; } Unnamed;
typedef enum { C } Level;
template <typename T> __global__ void nameless(T* a, Level b) {}
template __global__ void nameless<float>(float* a, Level b);
template <typename T, int N> struct Box { T data[N]; };
struct Plain { int a; };
struct Around { struct Inner { int a; }; enum Kind { X }; };
__global__ void within(Around::Inner* a, Around::Kind b, Around c) {}
namespace space { enum Level { L }; enum class Grade : char { G };
__global__ void enumerations(Level a, Grade b, Level* c) {}
template <Level E, typename T> __global__ void levels(T* a) {}
template __global__ void levels<L, Grade>(Grade* a);
}
namespace outer { namespace inner { struct Deep { int a; };
__global__ void nested(Deep* a, Deep b, Plain* c, const Deep* d) { a->a = b.a + c->a + d->a; }
template <typename T> __global__ void templated(T* a, const T* b, Deep c) { a[0] = b[0]; }
template __global__ void templated<int>(int* a, const int* b, Deep c);
} }
__global__ void numbers(char a, signed char b, unsigned char c, short d, unsigned short e, int f, unsigned g, long h, unsigned long i, long long j, unsigned long long k, float l, double m, bool n) {}
__global__ void none() {}
__global__ void pointers(int* a, const int* b, int* const c, volatile const int* d, int** e, const int* const* f, const int* g, float4* h, Mode i, Unnamed* j, float x[4]) {}
template <typename T, int N> __global__ void boxes(Box<T, N> a, Box<T, N>* b, Box<float, 4> c, T d, const T* e) {}
template __global__ void boxes<unsigned, 7>(Box<unsigned, 7> a, Box<unsigned, 7>* b, Box<float, 4> c, unsigned d, const unsigned* e);
template <bool B, int N, unsigned U, typename T, typename S> __global__ void values(T* a, S* b, const T* c, S d) {}
template __global__ void values<true, -3, 5u, float, Plain>(float* a, Plain* b, const float* c, Plain d);
";

#[test]
fn kernels_have_the_names_that_nvidias_compiler_gives_them() {
    let source = cudac::Source { name: "kernel.cu", text: TEXT };
    let ptx =
        cudac::compile(&source, &cudac::Options::default()).unwrap_or_else(|errors| panic!("{errors}")).ptx;
    let mut found: Vec<&str> =
        ptx.lines().filter_map(|line| line.strip_prefix(".visible .entry ")?.strip_suffix('(')).collect();
    found.sort_unstable();
    let mut wanted = [
        "_Z4nonev",
        "_Z8namelessIfEvPT_5Level",
        "_Z5boxesIjLi7EEv3BoxIT_XT0_EEPS2_S0_IfLi4EES1_PKS1_",
        "_Z6valuesILb1ELin3ELj5Ef5PlainEvPT2_PT3_PKS1_S3_",
        "_Z6withinPN6Around5InnerENS_4KindES_",
        "_Z7numberscahstijlmxyfdb",
        "_Z8pointersPiPKiS_PVKiPS_PKS1_S1_P6float44ModeP7UnnamedPf",
        "_ZN5space12enumerationsENS_5LevelENS_5GradeEPS0_",
        "_ZN5space6levelsILNS_5LevelE0ENS_5GradeEEEvPT0_",
        "_ZN5outer5inner6nestedEPNS0_4DeepES1_P5PlainPKS1_",
        "_ZN5outer5inner9templatedIiEEvPT_PKS2_NS0_4DeepE",
    ];
    wanted.sort_unstable();
    assert_eq!(found, wanted);
}

#[test]
fn a_kernel_in_a_block_of_c_keeps_its_name() {
    let text = "extern \"C\" { __global__ void plain(int* x) { x[0] = 1; } }";
    let source = cudac::Source { name: "kernel.cu", text };
    let ptx = cudac::compile(&source, &cudac::Options::default()).unwrap().ptx;
    assert!(ptx.contains(".entry plain("), "{ptx}");
}

#[test]
fn a_kernel_of_cpp_in_a_block_of_c_does_not() {
    let text = "extern \"C++\" { __global__ void outer(int* x) {} }
        extern \"C\" { extern \"C++\" { __global__ void inner(int* x) {} } extern \"C++\" __global__ void one(int* x) {} __global__ void c() {} }
        extern \"C++\" __global__ void alone(int* x) {}";
    let source = cudac::Source { name: "kernel.cu", text };
    let ptx =
        cudac::compile(&source, &cudac::Options::default()).unwrap_or_else(|errors| panic!("{errors}")).ptx;
    for name in ["_Z5outerPi", "_Z5innerPi", "_Z3onePi", "c", "_Z5alonePi"] {
        assert!(ptx.contains(&format!(".entry {name}(")), "{name}: {ptx}");
    }
    let source = cudac::Source { name: "kernel.cu", text: "extern \"D\" { }" };
    assert!(cudac::compile(&source, &cudac::Options::default()).is_err());
}
