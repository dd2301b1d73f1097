//! Launches: which are refused and what is said of it, which blocks are resident together, and what kernels print.

mod common;

use common::{printed, run, run_within};

/// The kinds and the lines of the findings of a program.
fn findings(text: &str) -> Vec<(&'static str, u32)> {
    run(text).findings.iter().map(|found| (found.kind.name(), found.line.number())).collect()
}

/// The blocks of a grid meet at a barrier that is written out, or at that of cooperative groups.
const MEET: &str = "
#include <cooperative_groups.h>
__device__ unsigned arrived;
__global__ void by_hand(int* sum) {
    if (threadIdx.x == 0) {
        atomicAdd(&arrived, 1);
        while (atomicAdd(&arrived, 0) < gridDim.x) {}
        atomicAdd(sum, 1);
    }
}
__global__ void by_group(int* sum) {
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0) atomicAdd(sum, 1);
}
__global__ void asks(int* sum) { *sum = cooperative_groups::this_grid().is_valid(); }";

const SIZED: &str = "int per, n; cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
    int *sum, got; cudaMalloc(&sum, 4); cudaMemset(sum, 0, 4); void* arguments[] = {&sum};";

#[test]
fn what_the_occupancy_promises_is_resident_together() {
    for (threads, shared) in [(1024, 0), (256, 16384), (32, 0)] {
        let body = format!(
            "{SIZED} cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, by_hand, {threads}, {shared});
            n = per * p.multiProcessorCount; by_hand<<<n, {threads}, {shared}>>>(sum);
            cudaMemcpy(&got, sum, 4, cudaMemcpyDeviceToHost); printf(\"%d\", got == n); cudaFree(sum);"
        );
        assert_eq!(printed(MEET, &body), "1", "{threads} {shared}");
    }
}

#[test]
fn a_cooperative_launch_has_as_many_blocks_as_are_resident_together() {
    let launch = |blocks: &str, call: &str| {
        let body = format!(
            "{SIZED} cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, by_group, 512, 0);
            n = per * p.multiProcessorCount; cudaError_t e = {call};
            cudaMemcpy(&got, sum, 4, cudaMemcpyDeviceToHost);
            printf(\"%d %s\", got - n, cudaGetErrorName(e)); cudaGetLastError(); cudaFree(sum);"
        );
        printed(MEET, &body.replace("BLOCKS", blocks))
    };
    let direct = "cudaLaunchCooperativeKernel((void*)by_group, dim3(BLOCKS), dim3(512), arguments, 0, 0)";
    assert_eq!(launch("n", direct), "0 cudaSuccess");
    assert_eq!(launch("n + 1", direct), "-320 cudaErrorCooperativeLaunchTooLarge");
    let typed = "cudaLaunchCooperativeKernel(by_group, BLOCKS, 512, arguments)";
    assert_eq!(launch("n", typed), "0 cudaSuccess");
    let by_attribute = "cudaSuccess; cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeCooperative; a[0].val.cooperative = 1;
        cudaLaunchConfig_t c = {}; c.gridDim = dim3(BLOCKS); c.blockDim = dim3(512); c.attrs = a; c.numAttrs = 1;
        e = cudaLaunchKernelExC(&c, (void*)by_group, arguments)";
    for call in
        [by_attribute, &by_attribute.replace("ExC(&c, (void*)by_group, arguments)", "Ex(&c, by_group, sum)")]
    {
        assert_eq!(launch("n", call), "0 cudaSuccess");
        assert_eq!(launch("n + 1", call), "-320 cudaErrorCooperativeLaunchTooLarge");
    }
}

#[test]
fn a_grid_cannot_meet_in_an_ordinary_launch() {
    let program = |launch: &str| {
        format!(
            "{MEET}\nint main() {{ int* sum; cudaMalloc(&sum, 4); cudaMemset(sum, 0, 4); void* arguments[] = {{&sum}};\n{launch};
            cudaDeviceSynchronize(); cudaFree(sum); }}"
        )
    };
    for launch in ["by_group<<<2, 32>>>(sum)", "cudaLaunchKernel(by_group, 2, 32, arguments)"] {
        let outcome = run(&program(launch));
        let found = &outcome.findings[0];
        assert_eq!(found.kind.name(), "trap");
        assert!(
            found.message.contains("`grid.sync()`") && found.help.contains("cudaLaunchCooperativeKernel")
        );
    }
    assert_eq!(findings(&program("cudaLaunchCooperativeKernel(by_group, 2, 32, arguments)")), []);
    for (launch, is_valid) in
        [("asks<<<1, 1>>>(sum)", "0"), ("cudaLaunchCooperativeKernel(asks, 1, 1, arguments)", "1")]
    {
        let body = format!(
            "{SIZED} {launch}; cudaMemcpy(&got, sum, 4, cudaMemcpyDeviceToHost); printf(\"%d\", got); cudaFree(sum);"
        );
        assert_eq!(printed(MEET, &body), is_valid);
    }
}

const HELLO: &str = "__global__ void hello(int n) { for (int i = 0; i < n; i++) printf(\"%d\\n\", i); }";

/// Measured on an H200 with a kernel that takes long: what follows the launch, and whether the text appears.
#[test]
fn what_a_kernel_prints_appears_when_something_waits_for_it() {
    for (call, appears) in [
        ("cudaDeviceSynchronize()", true),
        ("cudaStreamSynchronize(0)", true),
        ("cudaDeviceReset()", true),
        ("cudaFree(d)", true),
        ("cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost)", true),
        ("cudaMemcpyToSymbol(symbol, h, 4)", true),
        ("cudaMemset(pinned, 0, 4)", true),
        ("cudaEventRecord(e); cudaEventSynchronize(e)", true),
        ("", false),
        ("cudaGetLastError()", false),
        ("cudaMemset(d, 0, 4)", false),
        ("cudaMemcpy(d + 1, d, 4, cudaMemcpyDeviceToDevice)", false),
        ("cudaMemcpyAsync(h, d, 4, cudaMemcpyDeviceToHost)", false),
        ("cudaMalloc(&d, 4)", false),
        ("cudaEventSynchronize(e)", false),
        ("hello<<<1, 1>>>(0)", false),
    ] {
        let text = format!(
            "__device__ int symbol;\n{HELLO}\nint main() {{ int h[1] = {{0}}, *d, *pinned; cudaEvent_t e; cudaEventCreate(&e);
            cudaMallocManaged(&d, 64); cudaFree(d); cudaMalloc(&d, 64); cudaMemset(d, 0, 64); cudaMallocHost(&pinned, 4);
            hello<<<1, 1>>>(1);\n{call};\nprintf(\"host\");\n}}"
        );
        let outcome = run(&text);
        let wanted = if appears { "0\nhost" } else { "host" };
        assert_eq!(String::from_utf8(outcome.output).unwrap(), wanted, "{call}");
        let is_lost = outcome.findings.iter().any(|found| found.kind.name() == "lost-output");
        assert_eq!(is_lost, !appears, "{call}");
    }
}

#[test]
fn what_a_kernel_prints_comes_where_the_host_waits() {
    let body = "hello<<<1, 1>>>(1); printf(\"a\\n\"); cudaDeviceSynchronize(); printf(\"b\\n\");";
    assert_eq!(printed(HELLO, body), "a\n0\nb\n");
}

/// A program that is stopped shows what was printed so far.
#[test]
fn what_a_kernel_prints_is_shown_before_the_program_is_stopped() {
    let text = "__global__ void k(int* p) { printf(\"here\\n\"); *p = 1; } int main() { k<<<1, 1>>>(nullptr); cudaDeviceSynchronize(); }";
    let outcome = run(text);
    assert_eq!((&outcome.output[..], outcome.was_stopped), (&b"here\n"[..], true));
}

#[test]
fn a_full_buffer_loses_the_oldest_lines_and_that_is_said() {
    let program = |before: &str, lines: u32| {
        format!("{HELLO}\nint main() {{ {before}\nhello<<<1, 1>>>({lines}); cudaDeviceSynchronize(); }}")
    };
    let output = |text: &str| String::from_utf8(run(text).output).unwrap();
    assert_eq!(findings(&program("", 65536)), []);
    assert_eq!(findings(&program("", 65537)), [("lost-output", 3)]);
    let printed = output(&program("", 65537));
    assert!(printed.starts_with("1\n") && printed.ends_with("65536\n"), "the oldest is lost");
    let larger = "cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20);";
    assert_eq!(findings(&program(larger, 65537)), []);
    let smaller = "cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1000);";
    assert!(output(&program(smaller, 65536)).starts_with("32768\n"), "512 KiB are the least");
}

const SCALE: &str = "__global__ void scale(int* p) { extern __shared__ int s[]; s[threadIdx.x] = 2; p[threadIdx.x] = s[threadIdx.x]; }";

#[test]
fn the_reason_why_a_launch_is_refused_is_said_where_the_program_looks_at_the_error() {
    for (shape, reason) in [
        ("0, 32, 128", "neither may be empty"),
        ("dim3(1, 0), 32, 128", "neither may be empty"),
        ("1, 0, 128", "neither may be empty"),
        ("1, 1025, 4100", "is larger than 1024"),
        ("1, dim3(1, 1, 65), 128", "or than 64 in z"),
        ("dim3(1, 70000), 32, 128", "may be at most (2147483647,65535,65535)"),
        ("1, 32, 60000", "60000 bytes of shared memory are more than 49152"),
    ] {
        for (look, status) in [
            ("if (cudaGetLastError() != cudaSuccess) exit(1);", 1),
            ("if (cudaPeekAtLastError() != cudaSuccess) return 2;", 2),
            ("printf(\"%s\", cudaGetErrorString(cudaGetLastError())); cudaFree(d);", 0),
        ] {
            let text = format!(
                "{SCALE}\nint main() {{\nint* d; cudaMalloc(&d, 4096);\nscale<<<{shape}>>>(d);\n{look}\n}}"
            );
            let outcome = run(&text);
            let found: Vec<_> =
                outcome.findings.iter().map(|found| (found.kind.name(), found.line.number())).collect();
            assert_eq!((found, outcome.status), (vec![("failed-call", 4)], status), "{shape}: {look}");
            assert!(outcome.findings[0].message.contains(reason), "{}", outcome.findings[0].message);
        }
    }
    let right = format!(
        "{SCALE}\nint main() {{ int* d; cudaMalloc(&d, 4096); scale<<<1, 32, 128>>>(d); if (cudaGetLastError()) exit(1); cudaFree(d); }}"
    );
    assert_eq!(findings(&right), []);
}

/// A call may fail on purpose. It is the reason only if the program gives up because of it.
#[test]
fn a_call_that_fails_is_the_reason_if_the_program_gives_up() {
    let check = "#define CHECK(call) do { cudaError_t e = call; if (e != cudaSuccess) { fprintf(stderr, \"%s\\n\", cudaGetErrorString(e)); cudaDeviceReset(); exit(1); } } while (0)";
    let program = |statements: &str| {
        format!("{check}\nint main() {{\nint *d, h[4] = {{}}; CHECK(cudaMalloc(&d, 16));\n{statements}\n}}")
    };
    for wrong in [
        "cudaMemcpy(h, d, 16, cudaMemcpyHostToDevice)",
        "cudaMemset(h, 0, 16)",
        "cudaMemcpy2D(d, 4, h, 4, 4, 4, cudaMemcpyDeviceToHost)",
    ] {
        assert_eq!(findings(&program(&format!("CHECK({wrong});"))), [("failed-call", 4)], "{wrong}");
    }
    let probe = "void* p; if (cudaMalloc(&p, 1ull << 40) != cudaSuccess) cudaGetLastError();";
    assert_eq!(findings(&program(&format!("{probe} cudaFree(d); return 0;"))), []);
    let later = "cudaMemcpy(d, h, 16, cudaMemcpyHostToDevice); cudaFree(d); return 1;";
    assert_eq!(findings(&program(&format!("{probe}\n{later}"))), [("exit-status", 0)]);
}

/// An error that a function of several calls returns is one that has to be looked at.
#[test]
fn the_error_of_a_call_in_parts_is_not_lost() {
    let text = "int main() { int *d, h[4] = {}; cudaMalloc(&d, 16);\ncudaMemcpy2D(d, 4, h, 4, 4, 4, cudaMemcpyDeviceToHost);\ncudaFree(d); }";
    assert_eq!(findings(text), [("unchecked-error", 2)]);
}

#[test]
fn a_loop_of_launches_that_never_ends_is_stopped_by_a_limit() {
    let program = |turns: &str| {
        format!(
            "__global__ void k() {{}} int main() {{\nfor (int i = 0; {turns}; i++) k<<<1, 32>>>();\ncudaDeviceSynchronize(); }}"
        )
    };
    let mut limits = cuda_host::Limits::default();
    limits.launch.max_steps = 1 << 20;
    let outcome = run_within(&program("true"), "", &limits).unwrap();
    let last = outcome.findings.last().unwrap();
    assert_eq!((last.kind.name(), last.line.number()), ("limit", 2));
    assert!(last.help.contains("loop of launches that never ends"), "{last:?}");
    assert!(run_within(&program("i < 1000"), "", &limits).unwrap().findings.is_empty());
}

#[test]
fn arguments_of_a_launch_with_a_configuration_are_converted_as_in_a_call() {
    let around = "__global__ void k(double* x, double y, short z) { *x = y + z; } __global__ void none() {}";
    let body = "double *d, h; cudaMalloc(&d, 8); cudaLaunchConfig_t c = {}; c.gridDim = 1; c.blockDim = 1;
        cudaLaunchKernelEx(&c, k, d, 2, 3.9f); cudaLaunchKernelEx(&c, none); cudaMemcpy(&h, d, 8, cudaMemcpyDefault); printf(\"%g\", h); cudaFree(d);";
    assert_eq!(printed(around, body), "5");
    let wrong = "int main() { cudaLaunchConfig_t c = {}; c.gridDim = 0; c.blockDim = 1;\ncudaLaunchKernelEx(&c, none); }";
    assert_eq!(findings(&format!("{around}{wrong}")), [("unchecked-error", 2)]);
}

#[test]
fn a_function_that_is_not_supported_is_named_with_what_to_use() {
    let text = "int main() { cudaArray_t a; cudaChannelFormatDesc d = cudaCreateChannelDesc<float>(); cudaMallocArray(&a, &d, 8, 8); }";
    let error = run_within(text, "", &cuda_host::Limits::default()).unwrap_err().to_string();
    assert!(
        error.contains("`cudaMallocArray` is not supported") && error.contains("`cudaMallocPitch`"),
        "{error}"
    );
}
