//! Loops that allocate and free, create and destroy, a million times; what is found all the same; and what is said at a bound.

mod common;

use common::{run, run_within};
use cuda_host::{Kind, Limits, Outcome};

fn within(body: &str, bytes: u64) -> Outcome {
    let limits = Limits { memory_bytes: bytes, ..Limits::default() };
    let around = "#include <cstdlib>\n#include <vector>\n#include <string>\n#include <sstream>\n#include <cuda_runtime.h>\n__global__ void k() {}\n";
    run_within(&format!("{around}int main() {{\n{body}\n}}"), "", &limits)
        .unwrap_or_else(|error| panic!("{body}: {error}"))
}

/// What a turn of a loop does, and how many turns.
const LOOPS: [(&str, &str); 18] = [
    ("void* p; cudaMalloc(&p, 1); cudaFree(p);", "100000"),
    ("void* p; cudaMalloc(&p, i % 7 * 4096); cudaFree(p);", "20000"),
    ("void* p; cudaMallocManaged(&p, 64); cudaFree(p);", "50000"),
    ("void* p; cudaMallocHost(&p, 64); cudaFreeHost(p);", "50000"),
    ("void* p; cudaMallocAsync(&p, 64, 0); cudaFreeAsync(p, 0);", "20000"),
    ("free(malloc(1));", "300000"),
    ("free(malloc(i));", "50000"),
    ("free(malloc(3 << 20));", "50"),
    ("int* p = new int[i % 100]; delete[] p;", "100000"),
    ("std::ostringstream s; s << i << \" of many texts\"; s.str();", "20000"),
    ("cudaStream_t s; cudaStreamCreate(&s); cudaStreamDestroy(s);", "50000"),
    ("cudaEvent_t e; cudaEventCreate(&e); cudaEventRecord(e); cudaEventDestroy(e);", "50000"),
    ("cudaGetErrorString(cudaSuccess);", "100000"),
    ("k<<<1, 1>>>();", "20000"),
    ("std::vector<int> v(10, i); v.push_back(i);", "50000"),
    ("std::string s = \"a text that is long \"; s += std::to_string(i);", "50000"),
    ("void* p = malloc(64); cudaHostRegister(p, 64, 0); cudaHostUnregister(p); free(p);", "10000"),
    (
        "cudaGraph_t g; cudaGraphExec_t x; cudaStream_t s; cudaStreamCreate(&s); cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
         k<<<1, 1, 0, s>>>(); cudaStreamEndCapture(s, &g); cudaGraphInstantiate(&x, g, 0); cudaGraphLaunch(x, s); cudaStreamSynchronize(s);
         cudaGraphExecDestroy(x); cudaGraphDestroy(g); cudaStreamDestroy(s);",
        "300",
    ),
];

/// All of them together, within the memory that one turn needs many times less than all turns.
#[test]
fn what_is_freed_or_destroyed_does_not_count() {
    for (turn, turns) in LOOPS {
        let outcome = within(&format!("for (int i = 0; i < {turns}; i++) {{ {turn} }}"), 16 << 20);
        assert!(outcome.findings.is_empty(), "{turn}: {:?}", outcome.findings);
    }
}

/// The same without the end of each: memory or handles run out, which is a finding with a line.
#[test]
fn what_is_kept_comes_to_a_bound_that_is_named() {
    for (turn, kind, words) in [
        ("free(0); malloc(100);", Kind::Limit, "needs more than 16777216 bytes of memory"),
        ("new char[1 << 20];", Kind::Limit, "needs more than 16777216 bytes of memory"),
        ("malloc(~0ull);", Kind::Limit, "needs more than 16777216 bytes of memory"),
        ("calloc(1ull << 40, 1ull << 40);", Kind::Limit, "needs more than 16777216 bytes of memory"),
        ("std::vector<long>* v = new std::vector<long>(1000);", Kind::Limit, "bytes of memory"),
        ("cudaEvent_t e; cudaEventCreate(&e);", Kind::Limit, "the program has 16384 events"),
        ("cudaStream_t s; cudaStreamCreate(&s);", Kind::Limit, "the program has 16384 streams"),
        (
            "std::ostringstream* s = new std::ostringstream();",
            Kind::Limit,
            "the program has 16384 streams into texts",
        ),
        ("void* p; cudaMalloc(&p, 1 << 20);", Kind::UncheckedError, "there are no 1048576 bytes left"),
        ("void* p; cudaMalloc(&p, 1);", Kind::UncheckedError, "left on the device"),
        ("void* p; cudaMallocManaged(&p, 1ull << 63);", Kind::UncheckedError, "left on the device"),
    ] {
        let outcome = within(&format!("for (;;) {{ {turn} }}"), 16 << 20);
        let found = &outcome.findings[0];
        assert!(
            found.kind == kind && found.message.contains(words) && found.line.is_known(),
            "{turn}: {found:?}"
        );
        assert!(outcome.was_stopped && outcome.status == 1, "{turn}");
    }
    let large = "int table[1 << 24];\nint main() { table[7] = 1; return table[0]; }";
    let limits = Limits { memory_bytes: 16 << 20, ..Limits::default() };
    assert_eq!(run_within(large, "", &limits).unwrap().findings[0].kind, Kind::Limit);
}

/// Host and device have one number together: what is free is what the other may have.
#[test]
fn the_host_and_the_device_share_their_memory() {
    let all = "void* p; cudaMalloc(&p, 12 << 20);";
    assert!(within(&format!("{all} cudaFree(p); free(malloc(7 << 20));"), 16 << 20).findings.is_empty());
    let outcome = within(&format!("{all} malloc(7 << 20);"), 16 << 20);
    assert_eq!(outcome.findings[0].kind, Kind::Limit);
    let left = "size_t left, all; void* p; cudaMalloc(&p, 1 << 20); cudaMemGetInfo(&left, &all); cudaFree(p); return left > 15 << 20 || left < 14 << 20;";
    assert!(within(left, 16 << 20).findings.is_empty());
}

/// Mistakes with memory and handles are found after as many others as wait.
#[test]
fn uses_after_the_end_are_found_as_long_as_memory_waits() {
    let many =
        "for (int i = 0; i < 1000; i++) { free(malloc(64)); void* q; cudaMalloc(&q, 64); cudaFree(q); }";
    for (text, kind) in [
        ("int* p = (int*)malloc(4); free(p); MANY *p = 1;", Kind::UseAfterFree),
        ("int* p = (int*)malloc(4); free(p); MANY free(p);", Kind::DoubleFree),
        ("int* p = (int*)malloc(200 << 20); free(p); p[1] = 1;", Kind::UseAfterFree),
        ("int* p; cudaMalloc(&p, 4); cudaFree(p); MANY cudaFree(p);", Kind::DoubleFree),
        (
            "int *p, h = 0; cudaMalloc(&p, 4); cudaFree(p); MANY cudaMemcpy(p, &h, 4, cudaMemcpyDefault);",
            Kind::UseAfterFree,
        ),
        (
            "cudaEvent_t e; cudaEventCreate(&e); cudaEventDestroy(e); MANY cudaEventRecord(e);",
            Kind::UncheckedError,
        ),
        (
            "cudaStream_t s; cudaStreamCreate(&s); cudaStreamDestroy(s); MANY cudaStreamSynchronize(s);",
            Kind::UncheckedError,
        ),
    ] {
        let outcome = run(&format!("#include <cstdlib>\nint main() {{ {} }}", text.replace("MANY", many)));
        assert_eq!(outcome.findings[0].kind, kind, "{text}: {:?}", outcome.findings);
    }
}

/// Much work for which the host never waits: the oldest is forgotten, and what is found of the newest stays.
#[test]
fn work_that_nobody_waits_for_is_bounded() {
    let text = |end: &str| {
        format!(
            "__global__ void k(int* p) {{ *p = 1; }}\nint main() {{ int *p, h; cudaMallocManaged(&p, 4);
            for (int i = 0; i < 3000; i++) k<<<1, 1>>>(p);\n{end}\nh = *p; cudaFree(p); return h - 1; }}"
        )
    };
    let found = run(&text(""));
    assert_eq!(found.findings[0].kind, Kind::Unsynchronized);
    assert!(run(&text("cudaDeviceSynchronize();")).findings.is_empty());
}

/// Whoever runs a program can end it, in host code and in a kernel; what is known until then stays.
#[test]
fn a_program_that_is_interrupted_tells_what_is_known() {
    for (body, launches) in [
        ("volatile int x = 0; for (;;) x++;", 0),
        ("for (;;) { k<<<1, 32>>>(0); cudaDeviceSynchronize(); }", 1),
        ("k<<<1, 32>>>(1); cudaDeviceSynchronize();", 1),
    ] {
        let text = format!(
            "#include <cstdio>\n__global__ void k(int n) {{ __shared__ volatile int x; for (int i = 0; i < n; i += x) x = 0; }}
             int main() {{ printf(\"known\\n\"); {body} }}"
        );
        let source = cudac::Source { name: "program.cu", text: &text };
        let (output, program) = cudac::compile_program(&source, &cudac::Options::default()).unwrap();
        let pulse = std::sync::Arc::new(simt::Pulse::default());
        let mut limits = Limits::default();
        limits.launch.pulse = Some(std::sync::Arc::clone(&pulse));
        limits.launch.checks = simt::Checks::NONE;
        let stop = |event: cuda_host::Event<'_>| {
            if matches!(event, cuda_host::Event::Alive { .. }) {
                pulse.stop();
            }
        };
        let outcome = cuda_host::run_watched(
            &program,
            "program.cu",
            &output.ptx,
            &cuda_host::Given::default(),
            &limits,
            &stop,
        )
        .unwrap();
        assert!(outcome.was_interrupted && outcome.status == 130, "{body}: {outcome:?}");
        assert_eq!((&outcome.output[..], outcome.launches), (&b"known\n"[..], launches), "{body}");
    }
}
