//! Graphs that are captured in streams.

mod common;

use common::{printed, run};

const AROUND: &str = "
__global__ void add(int* p, int n) { p[threadIdx.x] += n; }
__global__ void sum(int* p, const int* q) { p[threadIdx.x] += q[threadIdx.x]; }";

/// Captures what is put between, and launches it.
fn program(captured: &str, after: &str) -> String {
    format!(
        "cudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreate(&t); cudaEvent_t fork, join; cudaEventCreate(&fork); cudaEventCreate(&join);
        int *a, *b, h[32] = {{}}; cudaMalloc(&a, 128); cudaMalloc(&b, 128); cudaMemset(a, 0, 128); cudaMemset(b, 0, 128);
        cudaDeviceSynchronize(); cudaGraph_t graph; cudaGraphExec_t exec;
        cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
        {captured}
        cudaStreamEndCapture(s, &graph); cudaGraphInstantiate(&exec, graph, NULL, NULL, 0);
        {after}
        cudaDeviceSynchronize(); cudaGraphExecDestroy(exec); cudaGraphDestroy(graph); cudaFree(a); cudaFree(b);"
    )
}

#[test]
fn a_graph_is_carried_out_when_it_is_launched_and_as_often() {
    let captured = "int n = 2; add<<<1, 32, 0, s>>>(a, n); n = 100; add<<<1, 32, 0, s>>>(a, 1);
        cudaMemcpyAsync(b, a, 128, cudaMemcpyDeviceToDevice, s); cudaMemsetAsync(a + 1, 0, 4, s);";
    let look = "cudaMemcpy(h, a, 128, cudaMemcpyDefault); printf(\"%d %d \", h[0], h[1]);";
    let after = format!(
        "{look} for (int i = 0; i < 3; i++) cudaGraphLaunch(exec, s); cudaStreamSynchronize(s); {look}
        cudaMemcpy(h, b, 128, cudaMemcpyDefault); size_t count; cudaGraphGetNodes(graph, nullptr, &count); printf(\"%d %zu\", h[1], count);"
    );
    assert_eq!(printed(AROUND, &program(captured, &after)), "0 0 9 0 3 4");
}

#[test]
fn a_graph_may_be_made_before_a_capture_gives_its_variable_another() {
    let body = "cudaStream_t s; cudaStreamCreate(&s); int *a, h[32]; cudaMalloc(&a, 128); cudaMemset(a, 0, 128); cudaDeviceSynchronize();
        cudaGraph_t graph, empty; cudaGraphExec_t exec, nothing; size_t count; cudaGraphCreate(&empty, 0); graph = empty;
        cudaGraphGetNodes(graph, nullptr, &count); printf(\"%zu \", count);
        cudaGraphInstantiate(&nothing, empty, 0); cudaGraphLaunch(nothing, s);
        cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); add<<<1, 32, 0, s>>>(a, 1); cudaStreamEndCapture(s, &graph);
        cudaGraphGetNodes(graph, nullptr, &count); cudaGraphInstantiate(&exec, graph, NULL, NULL, 0);
        for (int i = 0; i < 5; i++) cudaGraphLaunch(exec, s);
        cudaStreamSynchronize(s); cudaMemcpy(h, a, 128, cudaMemcpyDeviceToHost); printf(\"%zu %d \", count, h[31]);
        cudaGraphExecDestroy(exec); cudaGraphDestroy(graph); cudaGraphExecDestroy(nothing); cudaGraphDestroy(empty); cudaFree(a);
        cudaError_t e = cudaGraphCreate(&graph, 1); printf(\"%s\", cudaGetErrorName(e)); cudaGetLastError();";
    assert_eq!(printed(AROUND, body), "0 1 5 cudaErrorInvalidValue");
}

#[test]
fn what_is_wrong_in_a_graph_is_found_when_it_is_launched() {
    let fork = "add<<<1, 32, 0, s>>>(a, 1); cudaEventRecord(fork, s); cudaStreamWaitEvent(t, fork, 0); sum<<<1, 32, 0, t>>>(b, a);";
    let join = "cudaEventRecord(join, t); cudaStreamWaitEvent(s, join, 0);";
    let launch = "cudaGraphLaunch(exec, s);";
    let wait = "cudaStreamSynchronize(s);";
    for (captured, after, wanted) in [
        (format!("{fork} {join} sum<<<1, 32, 0, s>>>(a, b);"), format!("{launch} {wait}"), None),
        (
            format!("{fork} sum<<<1, 32, 0, s>>>(a, b); {join}"),
            format!("{launch} {wait}"),
            Some("unsynchronized"),
        ),
        (format!("{fork} {join}"), format!("{launch} add<<<1, 32, 0, s>>>(b, 1); {wait}"), None),
        (
            format!("{fork} {join}"),
            format!("{launch} add<<<1, 32, 0, t>>>(b, 1); {wait}"),
            Some("unsynchronized"),
        ),
        (format!("{fork} {join}"), format!("{launch} add<<<1, 32>>>(b, 1); {wait}"), None),
        ("add<<<1, 64, 0, s>>>(a, 1);".to_owned(), format!("{launch} {wait}"), Some("out-of-bounds")),
        ("add<<<1, 64, 0, s>>>(a, 1);".to_owned(), String::new(), None),
        // These cannot be captured.
        ("add<<<1, 32>>>(a, 1);".to_owned(), String::new(), Some("unchecked-error")),
        ("cudaStreamSynchronize(s);".to_owned(), String::new(), Some("unchecked-error")),
        ("cudaMemcpy(h, a, 128, cudaMemcpyDefault);".to_owned(), String::new(), Some("unchecked-error")),
        ("int* c; cudaMallocHost(&c, 4); cudaFreeHost(c);".to_owned(), String::new(), None),
    ] {
        let outcome = run(&format!("{AROUND}\nint main() {{\n{}\n}}", program(&captured, &after)));
        let first = outcome.findings.first();
        assert_eq!(first.map(|found| found.kind.name()), wanted, "{captured} | {after}: {first:?}");
    }
}

#[test]
fn a_capture_that_fails_leaves_no_graph() {
    let body = "cudaStream_t s; cudaStreamCreate(&s); cudaGraph_t graph;
        cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
        cudaError_t inside = cudaStreamSynchronize(s), end = cudaStreamEndCapture(s, &graph);
        printf(\"%d %d %d\", inside, end, graph == nullptr);
        cudaStreamDestroy(s);";
    assert_eq!(printed("", body), "900 901 1");
}
