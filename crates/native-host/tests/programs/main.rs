//! Programs whose host code runs natively: what they print, return and are told, beside what the interpreter makes of them.
//!
//! Each test needs clang, and says so if there is none.

use std::fs;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use cuda_host::{Error, Finding, Kind, Limits, Outcome, Severity};
use native_host::{Clang, Given, Project, Running, serve};
use tempfile::TempDir;

/// Clang, unless there is none: then the test says so and ends.
macro_rules! clang {
    () => {
        match Clang::find() {
            Some(clang) => clang,
            None => {
                assert!(
                    std::env::var("CLANG_TESTS").is_err(),
                    "no clang of version 16 or newer is in `PATH`"
                );
                println!("skipped: there is no clang of version 16 or newer");
                return;
            }
        }
    };
}

mod shared;
mod sources;
mod tensors;

/// Files in a folder of their own.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn compile(
    clang: &Clang,
    folder: &Path,
    sources: &[&str],
) -> Result<native_host::Compiled, native_host::Error> {
    compile_for(clang, folder, sources, 70)
}

fn compile_for(
    clang: &Clang,
    folder: &Path,
    sources: &[&str],
    arch: u32,
) -> Result<native_host::Compiled, native_host::Error> {
    let sources: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
    let texts: Vec<_> =
        sources.iter().map(|name| (name.clone(), fs::read_to_string(folder.join(name)).unwrap())).collect();
    let include = [folder.join("include")];
    clang.compile(&Project {
        folder,
        sources: &sources,
        texts: &texts,
        end: "",
        include: &include,
        shown_from: folder,
        defines: &[("SIZE".to_owned(), "32".to_owned())],
        arch,
        is_specific: false,
        std: 17,
    })
}

fn run_within(
    clang: &Clang,
    folder: &Path,
    sources: &[&str],
    words: &[&str],
    limits: &Limits,
) -> Result<Outcome, Error> {
    run_for(clang, folder, sources, words, limits, 70)
}

fn run_for(
    clang: &Clang,
    folder: &Path,
    sources: &[&str],
    words: &[&str],
    limits: &Limits,
    arch: u32,
) -> Result<Outcome, Error> {
    let compiled = compile_for(clang, folder, sources, arch).unwrap_or_else(|error| panic!("{error}"));
    let program = compiled.program().unwrap();
    let words: Vec<String> = ["program"].iter().chain(words).map(ToString::to_string).collect();
    let given = Given {
        words: &words,
        seconds: 20,
        memory_bytes: 1 << 30,
        output_bytes: limits.output_bytes,
        pulse: None,
    };
    let running = Running::start(&compiled, &given).unwrap();
    serve(&program, &compiled, &running, limits, &|_| {})
}

fn run(clang: &Clang, text: &str) -> Outcome {
    let folder = folder(&[("program.cu", text)]);
    run_within(clang, folder.path(), &["program.cu"], &["one", "two words"], &Limits::default()).unwrap()
}

fn printed(outcome: &Outcome) -> &str {
    std::str::from_utf8(&outcome.output).unwrap()
}

/// The kinds, severities, lines and messages of findings.
fn told(findings: &[Finding]) -> Vec<(&'static str, Severity, u32, &str)> {
    findings
        .iter()
        .map(|finding| (finding.kind.name(), finding.severity, finding.line.number(), &*finding.message))
        .collect()
}

/// What the interpreter makes of a program.
fn interpreted(text: &str) -> Outcome {
    interpreted_for(text, 70)
}

fn interpreted_for(text: &str, sm: u32) -> Outcome {
    let source = cudac::Source { name: "program.cu", text };
    let options = cudac::Options { sm, ..cudac::Options::default() };
    let (output, program) =
        cudac::compile_program(&source, &options).unwrap_or_else(|errors| panic!("{errors}"));
    let given = cuda_host::Given::default();
    cuda_host::run(&program, "program.cu", &output.ptx, &given, &Limits::default()).unwrap()
}

/// Runs a program both ways, which have to print, return and find the same; what it is.
#[track_caller]
fn same(clang: &Clang, text: &str) -> Outcome {
    let (one, other) = (interpreted(text), run(clang, text));
    assert_eq!((printed(&other), other.status), (printed(&one), one.status));
    assert_eq!(told(&other.findings), told(&one.findings));
    assert_eq!(other.launches, one.launches);
    one
}

#[test]
fn host_code_may_be_any_cpp_skipped_without_clang() {
    let clang = clang!();
    let outcome = run(
        &clang,
        r#"
#include <cstdio>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>
template <typename F> __global__ void each(float* x, int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = f(x[i]);
}
struct Line { float a, b; __device__ float operator()(float x) const { return a * x + b; } };
template <typename... T> int sum(T... t) { return (0 + ... + t); }
int main(int argc, char** argv) {
    std::map<std::string, std::vector<float>> all;
    all["x"] = std::vector<float>(100, 2.0f);
    float* d;
    cudaMalloc(&d, 400);
    cudaMemcpy(d, all["x"].data(), 400, cudaMemcpyHostToDevice);
    each<<<4, 32>>>(d, 100, Line{3.0f, 0.5f});
    std::thread other([&] { cudaMemcpy(all["x"].data(), d, 400, cudaMemcpyDeviceToHost); });
    other.join();
    cudaFree(d);
    try {
        throw std::runtime_error("thrown");
    } catch (const std::exception& e) {
        std::cout << e.what() << " " << all["x"][99] << " " << sum(1, 2, 3) << " " << argc << " " << argv[2] << std::endl;
    }
    fprintf(stderr, "to the other stream\n");
    return 3;
}
"#,
    );
    assert_eq!(printed(&outcome), "thrown 6.5 6 3 two words\n");
    assert_eq!(outcome.errors, b"to the other stream\n");
    assert_eq!((outcome.status, outcome.launches), (3, 1));
    // The program says itself that something is wrong.
    assert_eq!(told(&outcome.findings)[0].0, "exit-status");
}

/// Headers of libraries write attributes with underscores, and one of these is a word of CUDA.
#[test]
fn words_of_cuda_may_be_attributes_skipped_without_clang() {
    let clang = clang!();
    let folder = folder(&[
        (
            "main.cu",
            "#include <cstdio>
            __attribute__((__noinline__)) int host(int x) { return x + 1; }
            __noinline__ __device__ int device(int x) { return x + 2; }
            __global__ void k(int* p) { *p = device(*p); }
            int plain(int);
            int main() {
                int* p; cudaMallocManaged(&p, 4); *p = 5; k<<<1, 1>>>(p); cudaDeviceSynchronize();
                printf(\"%d\", plain(host(*p))); cudaFree(p);
            }",
        ),
        ("plain.cpp", "__attribute__((__noinline__)) int plain(int x) { return 2 * x; }"),
    ]);
    let sources = ["main.cu", "plain.cpp"];
    let outcome = run_within(&clang, folder.path(), &sources, &[], &Limits::default()).unwrap();
    assert_eq!(printed(&outcome), "16");
}

#[test]
fn findings_of_kernels_are_those_of_the_interpreter_skipped_without_clang() {
    let clang = clang!();
    let outcome = same(
        &clang,
        r#"
__device__ void put(int* s, int v) { *s = v; }
__global__ void racy(int* x) {
    __shared__ int s[2];
    put(s, threadIdx.x);
    __syncthreads();
    x[threadIdx.x] = s[0];
}
__global__ void beyond(int* x) { x[threadIdx.x + 1] = 1; }
int main() {
    int* d;
    cudaMalloc(&d, 32 * sizeof(int));
    racy<<<1, 32>>>(d);
    printf("between\n");
    beyond<<<1, 32>>>(d);
    cudaDeviceSynchronize();
    printf("never\n");
}
"#,
    );
    let found = told(&outcome.findings);
    assert_eq!(
        found.iter().map(|(kind, _, line, _)| (*kind, *line)).collect::<Vec<_>>(),
        [("race", 2), ("out-of-bounds", 9)]
    );
    assert!(found[1].3.contains("`d`") && outcome.was_stopped, "{found:?}");
}

/// Managed, pinned, mapped and registered memory, managed variables, and pointers in them.
#[test]
fn memory_is_shared_with_kernels_skipped_without_clang() {
    let clang = clang!();
    let outcome = same(
        &clang,
        r#"
struct Node { int value; Node* next; };
__managed__ int counter = 5;
__device__ int table[4] = {1, 2, 3, 4};
__constant__ int factor;
__global__ void walk(Node* node) {
    for (; node; node = node->next) node->value = node->value * factor + table[node->value % 4];
    counter += 2;
}
__global__ void add(int* p) { p[threadIdx.x] += 100; }
int main() {
    int host = 10, all[4];
    cudaMemcpyToSymbol(factor, &host, sizeof(int));
    Node *a, *b;
    cudaMallocManaged(&a, sizeof(Node));
    cudaMallocManaged(&b, sizeof(Node));
    a->value = 1;
    a->next = b;
    b->value = 2;
    b->next = 0;
    walk<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", a->value, b->value, counter);
    counter = 1;
    walk<<<1, 1>>>(b);
    cudaDeviceSynchronize();
    printf("%d %d\n", b->value, counter);
    int *pinned, *mapped, *registered = (int*)malloc(128);
    cudaMallocHost(&pinned, 128);
    for (int i = 0; i < 32; i++) pinned[i] = registered[i] = i;
    cudaHostGetDevicePointer(&mapped, pinned, 0);
    add<<<1, 32>>>(mapped);
    cudaHostRegister(registered, 128, cudaHostRegisterMapped);
    add<<<1, 32>>>(registered);
    cudaDeviceSynchronize();
    printf("%d %d\n", pinned[31], registered[30]);
    cudaHostUnregister(registered);
    free(registered);
    cudaMemcpyFromSymbol(all, table, sizeof(all));
    int* address;
    cudaGetSymbolAddress((void**)&address, table);
    cudaMemset(address, 0, 4);
    cudaMemcpyFromSymbol(&host, table, 4);
    printf("%d %d\n", all[3], host);
    cudaFreeHost(pinned);
    cudaFree(a);
    cudaFree(b);
}
"#,
    );
    assert_eq!(printed(&outcome), "12 23 7\n234 3\n131 130\n4 0\n");
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
}

#[test]
fn the_runtime_is_the_interpreters_skipped_without_clang() {
    let clang = clang!();
    let outcome = same(
        &clang,
        r#"
#include <cooperative_groups.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
__global__ void say(int n) { printf("kernel %d of %d\n", threadIdx.x, n); }
__global__ void halves(float* x) {
    __half h = __float2half(x[threadIdx.x]);
    x[threadIdx.x] = __half2float(__hmul(h, h)) + sinf(0.5f) + exp(1.0) + min(1, 2) + __popc(7) + rsqrtf(4.0f);
}
__global__ void all(int* x) {
    auto grid = cg::this_grid();
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int sum = cg::reduce(warp, (int)threadIdx.x, cg::plus<int>());
    unsigned odd = __ballot_sync(0xffffffffu, threadIdx.x % 2);
    if (warp.thread_rank() == 0) atomicAdd(x, sum + (int)(odd & 1023));
    grid.sync();
    if (grid.thread_rank() == 0) x[1] = x[0] + __any_sync(1, true);
}
void after(void* data) { *(int*)data += 1; }
int main() {
    int count, blocks, value = 0;
    cudaGetDeviceCount(&count);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, halves, 256, 0);
    printf("%d %d\n", count, blocks);
    say<<<1, 2>>>(7);
    cudaDeviceSynchronize();
    cudaStream_t stream;
    cudaStreamCreate(&stream); cudaEvent_t event; cudaEventCreate(&event);
    float* d;
    cudaMallocAsync(&d, 128, stream);
    cudaMemsetAsync(d, 0, 128, stream);
    halves<<<1, 32, 0, stream>>>(d);
    cudaEventRecord(event, stream);
    cudaLaunchHostFunc(stream, after, &value);
    cudaStreamSynchronize(stream);
    float h[32];
    cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost);
    printf("%.6f %d\n", h[3], value);
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    halves<<<1, 32, 0, stream>>>(d);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&made, graph, 0);
    cudaGraphLaunch(made, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(made);
    cudaGraphDestroy(graph);
    int* sums;
    cudaMalloc(&sums, 8);
    cudaMemset(sums, 0, 8);
    void* arguments[] = {&sums};
    cudaError_t error = cudaLaunchCooperativeKernel(all, dim3(2), dim3(64), arguments);
    cudaMemcpy(&value, sums + 1, 4, cudaMemcpyDeviceToHost);
    printf("%s %d\n", cudaGetErrorName(error), value);
    say<<<1, 2000>>>(1);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaEventDestroy(event);
    cudaFreeAsync(d, stream);
    cudaStreamDestroy(stream);
    cudaFree(sums);
}
"#,
    );
    assert_eq!(outcome.launches, 4);
    assert_eq!(told(&outcome.findings).iter().map(|found| found.0).collect::<Vec<_>>(), ["failed-call"]);
}

#[test]
fn what_ends_a_program_is_said_skipped_without_clang() {
    let clang = clang!();
    let found = |text: &str| {
        let outcome = run(&clang, text);
        let first = outcome.findings.first();
        (outcome.status, first.map(|finding| (finding.kind, finding.line.number())))
    };
    let crash = "int main() { int* d; cudaMalloc(&d, 4);\n cudaFree(d);\n return *(volatile int*)16; }";
    assert_eq!(found(crash), (1, Some((Kind::OutOfBounds, 2))));
    let device = "int main() { int* d;\n cudaMalloc(&d, 4);\n return d[0]; }";
    assert_eq!(found(device), (1, Some((Kind::OutOfBounds, 2))));
    let copy = "int main() { int* d; int h[4];\n cudaMalloc(&d, 1 << 28);\n cudaMemcpy(d, h, 1 << 28, cudaMemcpyHostToDevice); }";
    assert_eq!(found(copy), (1, Some((Kind::OutOfBounds, 3))));
    let divided = "int main(int c, char**) { volatile int zero = 0; return c / zero; }";
    assert_eq!(found(divided), (1, Some((Kind::DivisionByZero, 0))));
    let aborted = "#include <cstdlib>\nint main() { abort(); }";
    assert_eq!(found(aborted), (1, Some((Kind::ExitStatus, 0))));
    assert_eq!(found("int main() { _Exit(7); }").0, 7);
    let unknown = found("int main() { int* d;\n cudaMalloc(&d, 4);\n cudaFree(d + 1);\n cudaFree(d); }");
    assert_eq!(unknown, (0, Some((Kind::UncheckedError, 3))));
    let known = "int main() { cudaError_t e = cudaFree((void*)64); puts(cudaGetErrorName(e)); }";
    assert_eq!(found(known), (0, None));
    let launch = "__global__ void k() {}\nint main() {\n k<<<1, 2000>>>();\n cudaFree((void*)64); }";
    assert_eq!(found(launch), (0, Some((Kind::UncheckedError, 3))));
    let space = "__global__ void k(int* x) {\n *x = 1; }\nint main() { int h; k<<<1, 1>>>(&h); cudaDeviceSynchronize(); }";
    assert_eq!(found(space), (1, Some((Kind::WrongSpace, 2))));
}

#[test]
fn limits_are_kept_skipped_without_clang() {
    let clang = clang!();
    let source = folder(&[
        ("loop.cu", "int main() { for (volatile int i = 0;; i++) {} }"),
        ("print.cu", "int main() { for (;;) puts(\"for ever\"); }"),
        ("memory.cu", "int main() { char* volatile p = (char*)malloc(3ull << 30); return p ? 1 : 0; }"),
    ]);
    let limits = Limits { output_bytes: 1 << 20, ..Limits::default() };
    let run = |name: &str| run_within(&clang, source.path(), &[name], &[], &limits).unwrap();
    let endless = run("print.cu");
    assert_eq!(endless.findings[0].kind, Kind::Limit);
    assert!(endless.output.len() <= 1 << 20);
    assert_eq!(run("memory.cu").status, 0);
    let endless = run("loop.cu");
    assert_eq!(endless.findings[0].kind, Kind::Limit);
    assert!(endless.findings[0].message.contains("20 seconds"), "{}", endless.findings[0].message);
}

#[test]
fn launches_that_repeat_are_checked_at_intervals_skipped_without_clang() {
    let clang = clang!();
    let loop_of = |launch: &str| {
        format!(
            "__global__ void add(int* x) {{ x[threadIdx.x]++; }}\n__global__ void race(int* x) {{ *x = threadIdx.x; }}\n\
             __global__ void beyond(int* x, int n) {{ x[n] = 1; }}\nint main() {{ int *d, h; cudaMalloc(&d, 256);\n\
             cudaMemset(d, 0, 256); for (int i = 0; i < 12; i++) {{ {launch} }}\n\
             cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); printf(\"%d\\n\", h); cudaFree(d); }}"
        )
    };
    let (right, race) = (loop_of("add<<<1, 64>>>(d);"), loop_of("race<<<1, 64>>>(d);"));
    let late = loop_of("beyond<<<1, 1>>>(d, i == 10 ? 64 : 0);");
    let source = folder(&[("right.cu", &right), ("race.cu", &race), ("late.cu", &late)]);
    let limits = Limits { check_launches: NonZeroU64::new(4), ..Limits::default() };
    let run = |name: &str| run_within(&clang, source.path(), &[name], &[], &limits).unwrap();
    let right = run("right.cu");
    assert_eq!((printed(&right), told(&right.findings)), ("12\n", vec![]));
    let [of] = &right.unchecked[..] else { panic!("{:?}", right.unchecked) };
    assert_eq!((&*of.kernel, of.unchecked, of.launches), ("add", 6, 12));
    assert_eq!(run("race.cu").findings[0].kind.name(), "race");
    assert_eq!(run("late.cu").findings[0].kind.name(), "out-of-bounds");
}

#[test]
fn projects_have_several_sources_and_headers_skipped_without_clang() {
    let clang = clang!();
    let project = folder(&[
        (
            "main.cu",
            "#include <shapes.h>\n#include \"kernels/k.cuh\"\nextern \"C\" int plain(int);\nint other(int*);\n\
                     int main() { int* d; cudaMalloc(&d, SIZE * 4);\n  fill<< <1, SIZE> >>(d);\n  int h[SIZE];\n\
                     cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost); printf(\"%d %d %d\\n\", h[5], plain(area(2, 3)), other(d)); cudaFree(d); }",
        ),
        (
            "kernels/k.cuh",
            "#pragma once\n__device__ int deep(int);\n__global__ void fill(int* x) { x[threadIdx.x] = deep(threadIdx.x); }\n",
        ),
        (
            "include/shapes.h",
            "#pragma once\n__global__ void fill(int* x);\ninline int area(int a, int b) { return a * b; }\n",
        ),
        (
            "other.cu",
            "__device__ int deep(int x) { return 10 * x; }\n__global__ void one(int* x) { *x = 77; }\n\
                      int other(int* d) { one<<<1, 1>>>(d); int h; cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); return h; }",
        ),
        ("more.cpp", "#include <shapes.h>\nint more() { int* d; cudaMalloc(&d, 4); return cudaFree(d); }"),
        ("plain.c", "int plain(int new) { return new + 1; }"),
    ]);
    let sources = ["main.cu", "other.cu", "more.cpp", "plain.c"];
    let outcome = run_within(&clang, project.path(), &sources, &[], &Limits::default()).unwrap();
    assert_eq!(printed(&outcome), "50 7 77\n");
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
    let compiled = compile(&clang, project.path(), &sources).unwrap();
    let files = compiled.program().unwrap().files;
    assert_eq!(files, ["main.cu", "include/shapes.h", "kernels/k.cuh", "other.cu", "more.cpp", "plain.c"]);
}

#[test]
fn what_clang_refuses_is_shown_with_lines_skipped_without_clang() {
    let clang = clang!();
    let source = folder(&[("program.cu", "int main() {\n  return undefined;\n}\n")]);
    let error = compile(&clang, source.path(), &["program.cu"]).unwrap_err().to_string();
    assert_eq!(error, "program.cu:2:10: error: use of undeclared identifier 'undefined'");
}

const WITH_HEADERS: &str = r#"
#include <utility>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/cstdint>
#include <cuda/std/utility>
struct Pair { int type; float strike; };
__device__ __noinline__ float value(Pair p, float x, int n) {
    for (int i = 0; i < n; i++) x = x * x - 0.25f;
    if (x > 100.0f) return 0.0f;
    return x + p.strike;
}
__global__ void atomics(int* d, float* f) {
    cuda::atomic_ref<int, cuda::thread_scope_device> a(d[0]);
    a.fetch_add(1);
    int known = a.load();
    while (!a.compare_exchange_weak(known, known + 1)) {}
    cuda::atomic_ref<float> b(f[0]);
    b.fetch_add(1.5f);
    __shared__ cuda::atomic<int, cuda::thread_scope_block> s;
    if (threadIdx.x == 0) s.store(0);
    __syncthreads();
    s.fetch_add(1);
    __syncthreads();
    if (threadIdx.x == 0) d[1] = s.load();
}
__global__ void others(float* out, long* wide, const __nv_bfloat16* b) {
    int i = threadIdx.x;
    float four[4] = {1, 2, 3, (float)i};
    float4 all;
    memcpy(&all, four, sizeof(all));
    clock_t before = clock();
    half h = __shfl_xor_sync(~0u, __float2half((float)i), 1);
    half2 g = __shfl_down_sync(~0u, __halves2half2(h, __float2half(0.5f)), 2);
    long2 v = make_long2(i, clock() >= before);
    wide[i] = v.x + v.y;
    Pair p;
    p.type = i;
    p.strike = i + 0.5f;
    out[i] = all.w + __half2float(h) + __low2float(g) + __high2float(g) + (float)b[i] + value(p, 0.1f, 3);
}
int main() {
    int *d, counts[2]; float *f, sums[32]; long *w, wide[32]; __nv_bfloat16 *b, given[32];
    cudaMalloc(&d, 8); cudaMalloc(&f, sizeof(sums)); cudaMalloc(&w, sizeof(wide)); cudaMalloc(&b, sizeof(given));
    for (int i = 0; i < 32; i++) given[i] = (__nv_bfloat16)(i * 0.37f);
    cudaMemset(d, 0, 8); cudaMemset(f, 0, sizeof(sums));
    cudaMemcpy(b, given, sizeof(given), cudaMemcpyHostToDevice);
    atomics<<<1, 32>>>(d, f);
    cudaMemcpy(counts, d, 8, cudaMemcpyDeviceToHost);
    cudaMemcpy(sums, f, 4, cudaMemcpyDeviceToHost);
    printf("%d %d %g\n", counts[0], counts[1], sums[0]);
    others<<<1, 32>>>(f, w, b);
    cudaMemcpy(sums, f, sizeof(sums), cudaMemcpyDeviceToHost);
    cudaMemcpy(wide, w, sizeof(wide), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) printf("%g %ld %g\n", sums[i], wide[i], (float)given[i]);
    const float of_host[] = {0.0f, 1.0f, -2.5f, 0.1f, 65504.0f, 65519.0f, 65520.0f, 1e-7f, 6e-8f, 3e-8f, 2.9e-8f, 6.1e-5f, -1e-5f, 1e30f};
    for (float x : of_host) {
        half h = __float2half(x);
        printf("%g %d\n", __half2float(h), (int)__half_as_ushort(h));
    }
    cudaFree(d); cudaFree(f); cudaFree(w); cudaFree(b);
}
"#;

/// Headers of the device beside those of the library, and what kernels and the host have under one name.
#[test]
fn headers_of_the_device_are_the_interpreters_skipped_without_clang() {
    let clang = clang!();
    let outcome = same(&clang, WITH_HEADERS);
    assert!(printed(&outcome).starts_with("64 32 48\n") && outcome.findings.is_empty(), "{outcome:?}");
}
