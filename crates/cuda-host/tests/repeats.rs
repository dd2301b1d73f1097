//! Launches that repeat earlier ones, of which not all are checked for races: what is found all the same, and that nothing is
//! accused for it. Every fourth is checked here, so of twelve the numbers 1 to 4, 8 and 12.

mod common;

use std::num::NonZeroU64;

use common::run_within;
use cuda_host::{Limits, Outcome};

const KERNELS: &str = "
__global__ void add(int* x) { x[threadIdx.x] += 1; }
__global__ void fill(int* x, int from) { x[from + threadIdx.x] = from; }
__global__ void races(int* x) { *x = threadIdx.x; }
__global__ void races_at(int* x, int step, int wrong) { if (threadIdx.x == 0 || step == wrong) *x = threadIdx.x; }
__global__ void meets(int* x) { if (threadIdx.x < 16) return; __syncthreads(); *x = 1; }
int main() {
    int *d, *e, *pinned, h[64]; cudaStream_t a, b; cudaStreamCreate(&a); cudaStreamCreate(&b);
    cudaMalloc(&d, 4 * 1024); cudaMalloc(&e, 4 * 1024); cudaMallocHost(&pinned, 128); memset(pinned, 0, 128);
    for (int step = 1; step <= 12; step++) {
";

const END: &str = "
    }
    cudaDeviceSynchronize();
    cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost); printf(\"%d %d\\n\", h[0], h[31]);
    cudaFree(d); cudaFree(e); cudaFreeHost(pinned);
}";

/// Runs a program whose steps, or what comes before them, are given.
fn run(steps: &str, interval: Option<u64>) -> Outcome {
    let limits = Limits { check_launches: interval.and_then(NonZeroU64::new), ..Limits::default() };
    run_within(&format!("{KERNELS}{steps}{END}"), "", &limits).unwrap_or_else(|error| panic!("{error}"))
}

/// How many launches of which kernel were not checked.
fn unchecked(outcome: &Outcome) -> Vec<(&str, u64, u64)> {
    outcome.unchecked.iter().map(|of| (&*of.kernel, of.unchecked, of.launches)).collect()
}

/// The first finding of a program with these steps, every fourth of which is checked; and that nothing is said of launches if all
/// are checked.
#[track_caller]
fn check(steps: &str, wanted: Option<&str>) {
    let outcome = run(steps, Some(4));
    let first = outcome.findings.first();
    assert_eq!(first.map(|found| found.kind.name()), wanted, "{steps}: {first:?}");
    let all = run(steps, None);
    assert_eq!(all.unchecked, []);
    assert_eq!(all.output, outcome.output, "{steps}");
}

#[test]
fn launches_of_one_kind_are_checked_at_intervals() {
    let set = "if (step == 1) cudaMemset(d, 0, 4096);";
    let of = |launch: &str| {
        let outcome = run(&format!("{set} {launch}"), Some(4));
        assert!(outcome.findings.is_empty(), "{launch}: {:?}", outcome.findings);
        unchecked(&outcome).iter().map(|(_, unchecked, launches)| (*unchecked, *launches)).collect::<Vec<_>>()
    };
    assert_eq!(of("add<<<1, 32>>>(d);"), [(6, 12)]);
    // Numbers may differ, and where a pointer points into an allocation.
    assert_eq!(of("fill<<<1, 32>>>(d, 32 * step);"), [(6, 12)]);
    assert_eq!(of("add<<<1, 32>>>(d + step);"), [(6, 12)]);
    assert_eq!(of("add<<<1, 32, 0, step % 2 ? a : a>>>(d);"), [(6, 12)]);
    // Each of two kinds begins anew.
    assert_eq!(of("add<<<1, step % 2 ? 32 : 64>>>(d);"), [(4, 12)]);
    assert_eq!(of("add<<<1, 32, step % 2 * 64>>>(d);"), [(4, 12)]);
    // Here each launch is the first of its kind.
    assert_eq!(of("add<<<1, 8 + step>>>(d);"), []);
    assert_eq!(of("int* n; cudaMalloc(&n, 128); cudaMemset(n, 0, 128); add<<<1, 32>>>(n); cudaFree(n);"), []);
}

#[test]
fn launches_of_a_graph_count() {
    let steps = "if (step > 1) break; cudaMemset(d, 0, 4096); cudaDeviceSynchronize();
        cudaGraph_t g; cudaGraphExec_t i; cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
        add<<<1, 32, 0, a>>>(d); cudaStreamEndCapture(a, &g); cudaGraphInstantiate(&i, g, 0);
        for (int n = 0; n < 12; n++) cudaGraphLaunch(i, a);
        cudaStreamSynchronize(a); cudaGraphExecDestroy(i); cudaGraphDestroy(g);";
    let outcome = run(steps, Some(4));
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
    assert_eq!((unchecked(&outcome), &outcome.output[..]), (vec![("add", 6, 12)], &b"12 12\n"[..]));
}

#[test]
fn a_race_is_found_in_the_launches_that_are_checked() {
    check("races<<<1, 64>>>(d);", Some("race"));
    for (wrong, found) in [(1, true), (4, true), (5, false), (7, false), (8, true), (11, false), (12, true)] {
        let steps = format!("races_at<<<1, 64>>>(d, step, {wrong});");
        let outcome = run(&steps, Some(4));
        assert_eq!(
            outcome.findings.first().is_some_and(|first| first.kind.name() == "race"),
            found,
            "{wrong}"
        );
        assert_eq!(run(&steps, None).findings[0].kind.name(), "race");
    }
}

#[test]
fn everything_but_races_is_found_in_every_launch() {
    let set = "if (step == 1) cudaMemset(d, 0, 4096);";
    for (launch, kind) in [
        ("fill<<<1, 32>>>(d, step == 11 ? 1000 : 0);", "out-of-bounds"),
        ("add<<<1, 32>>>(step == 11 ? (int*)8 : d);", "null"),
        ("add<<<1, 32>>>(step == 11 ? h : d);", "wrong-space"),
        ("add<<<1, 32>>>((int*)((char*)d + (step == 11) * 2));", "misaligned"),
        ("if (step == 11) meets<<<1, 64>>>(d); else add<<<1, 64>>>(d);", "barrier-divergence"),
    ] {
        check(&format!("{set} {launch}"), Some(kind));
    }
    // Only the eleventh launch reads what nobody has written.
    check(
        "if (step == 1) cudaMemset(d, 0, 128); add<<<1, 32>>>(d + (step == 11) * 64);",
        Some("uninitialized"),
    );
}

#[test]
fn what_is_known_of_memory_stays_right() {
    // Launches 5 to 7 are not checked, and what they write is written: for kernels and for the host.
    for steps in [
        "fill<<<1, 32>>>(d, 32 * (step - 1)); add<<<1, 32>>>(d + 32 * (step - 1));",
        "fill<<<1, 32>>>(d, 32 * (step - 1)); cudaMemcpy(h, d + 32 * (step - 1), 128, cudaMemcpyDeviceToHost); if (h[31] < 0) return 1;",
        "fill<<<1, 32>>>(d, 0); add<<<1, 32>>>(d); cudaMemcpy(e, d, 128, cudaMemcpyDeviceToDevice); add<<<1, 32>>>(e);",
        "fill<<<1, 32>>>(pinned, 0); cudaDeviceSynchronize(); if (pinned[3]) return 1; fill<<<1, 32>>>(d, 0);",
        "fill<<<1, 32, 0, a>>>(d, 0); cudaStreamSynchronize(a); add<<<1, 32, 0, b>>>(d); cudaStreamSynchronize(b);",
    ] {
        check(steps, None);
    }
}

#[test]
fn a_missing_wait_is_found_after_a_launch_that_is_not_checked() {
    let set = "if (step == 1) cudaMemset(d, 0, 4096);";
    for (launch, kind) in [
        (
            "add<<<1, 32>>>(pinned); if (step == 7) h[0] = pinned[7]; cudaDeviceSynchronize();",
            "unsynchronized",
        ),
        (
            "add<<<1, 32, 0, a>>>(d); if (step != 7) cudaStreamSynchronize(a); add<<<1, 32, 0, b>>>(d); cudaStreamSynchronize(b); \
             cudaStreamSynchronize(a);",
            "unsynchronized",
        ),
    ] {
        check(&format!("{set} {launch}"), Some(kind));
    }
}
