//! `cuda::barrier` on targets with and without instructions for it.

use simt::{Checks, Emulator, Launch, Limits};

const TARGETS: [u32; 3] = [70, 80, 90];

fn compile(text: &str, sm: u32) -> String {
    let source = cudac::Source { name: "kernel.cu", text };
    let options = cudac::Options { sm, ..cudac::Options::default() };
    cudac::compile(&source, &options).unwrap_or_else(|errors| panic!("{errors}")).ptx
}

fn kernel(before: &str, body: &str) -> String {
    format!(
        "#include <cuda/barrier>\nusing Barrier = cuda::barrier<cuda::thread_scope_block>;\n{before}
        extern \"C\" __global__ void kernel(int* y) {{ int i = threadIdx.x;\n{body}\n}}"
    )
}

/// Runs the body of a kernel with 64 threads on each target, with all checks; returns the PTX of each.
#[track_caller]
fn check(before: &str, body: &str, wanted: impl Fn(i32) -> i32) -> [String; 3] {
    TARGETS.map(|sm| {
        let ptx = compile(&kernel(before, body), sm);
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("kernel.ptx", &ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        let y = emulator.alloc("y", 4 * 64).unwrap();
        let mut launch = Launch::new(1, 64).arg(y.address());
        launch.checks = Checks::ALL;
        let report = emulator.launch(&module, "kernel", &launch).unwrap();
        assert!(report.faults.is_empty(), "sm_{sm}: {:?}\n{ptx}", report.faults);
        let words = emulator.read(y).unwrap().chunks_exact(4);
        let found: Vec<i32> = words.map(|word| i32::from_le_bytes(word.try_into().unwrap())).collect();
        let wanted: Vec<i32> = (0..64).map(&wanted).collect();
        assert_eq!(found, wanted, "sm_{sm}\n{ptx}");
        ptx
    })
}

/// A barrier for all threads, and an array to exchange values through.
const SHARED: &str =
    "__shared__ Barrier b; __shared__ int x[64]; if (i == 0) init(&b, 64); __syncthreads(); x[i] = i;";

#[test]
fn a_barrier_in_shared_memory_is_an_mbarrier_from_sm_80_on() {
    let body = format!("{SHARED} b.arrive_and_wait(); y[i] = x[(i + 32) % 64];");
    let [sm_70, sm_80, sm_90] = check("", &body, |i| (i + 32) % 64);
    assert!(!sm_70.contains("mbarrier") && sm_70.contains("atom.acq_rel.cta.shared"), "{sm_70}");
    for (ptx, wait) in [(sm_80, "mbarrier.test_wait.shared"), (sm_90, "mbarrier.try_wait.shared")] {
        assert!(ptx.contains("mbarrier.init.shared") && ptx.contains("mbarrier.arrive.shared"), "{ptx}");
        assert!(ptx.contains(wait) && !ptx.contains("atom") && !ptx.contains("isspacep"), "{ptx}");
    }
}

#[test]
fn a_barrier_counts_several_arrivals_at_once() {
    let before = "__device__ void meet(Barrier& b, int i) {
        if (i < 32) { if (i % 2 == 0) b.wait(b.arrive(2)); } else b.arrive_and_wait(); }";
    let body = format!("{SHARED} __syncthreads(); meet(b, i); meet(b, i); y[i] = x[(i + 32) % 64];");
    check(before, &body, |i| (i + 32) % 64);
}

#[test]
fn threads_leave_a_barrier_for_good() {
    let body = format!(
        "{SHARED} if (i >= 32) {{ b.arrive_and_drop(); y[i] = 7; }}
        else {{ b.arrive_and_wait(); int sum = x[i + 32]; b.arrive_and_wait(); x[i] = sum; b.arrive_and_wait(); y[i] = x[31 - i]; }}"
    );
    check("", &body, |i| if i < 32 { 63 - i } else { 7 });
}

/// An mbarrier has to be in shared memory and is for one block.
#[test]
fn a_barrier_in_global_memory_or_for_the_device_is_a_word_with_atomics() {
    let meet = "if (i == 0) init(&b, 64); __syncthreads(); y[i] = i; b.arrive_and_wait(); int z = y[63 - i];
        b.arrive_and_wait(); y[i] = z;";
    for before in ["__device__ Barrier b;", "__device__ cuda::barrier<cuda::thread_scope_device> b;"] {
        for ptx in check(before, meet, |i| 63 - i) {
            assert!(!ptx.contains("mbarrier") && ptx.contains("atom.acq_rel."), "{ptx}");
        }
    }
}

/// Which space an address has may depend on the thread.
#[test]
fn a_barrier_somewhere_asks_where_it_is() {
    let before = "__device__ Barrier of_the_device;";
    let body = "__shared__ Barrier b; Barrier* which = i < 32 ? &b : &of_the_device;
        if (i % 32 == 0) init(which, 32); __syncthreads(); y[i] = i; which->arrive_and_wait(); int z = y[i ^ 31];
        which->arrive_and_wait(); y[i] = z;";
    let [_, sm_80, _] = check(before, body, |i| i ^ 31);
    assert!(sm_80.contains("isspacep.shared") && sm_80.contains("atom.acq_rel."), "{sm_80}");
}

#[test]
fn addresses_say_which_space_they_are_in() {
    let before = "__constant__ int c; __device__ int g;";
    let body = "__shared__ int s; int l[4]; l[i % 4] = i;
        y[i] = __isShared(&s) + 2 * __isGlobal(&s) + 4 * __isGlobal(y) + 8 * __isConstant(&c) + 16 * __isLocal(&l[i % 4])
            + 32 * __isGlobal(i < 3 ? &g : &s) + 64 * __isShared(i < 3 ? &g : &s);";
    check(before, body, |i| 29 + if i < 3 { 32 } else { 64 });
}
