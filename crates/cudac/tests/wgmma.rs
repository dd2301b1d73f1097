//! Matrix products of warpgroups in CUDA C++: `asm` with more than a hundred operands, the target `sm_90a`, and a whole product.

use simt::{Checks, Emulator, FaultKind, Launch, Limits, Report, Schedule};

const PRODUCT: &str = include_str!("wgmma/product.cu");
const N: usize = 256;

fn compile(text: &str) -> String {
    let options = cudac::Options { sm: 90, is_specific: true, ..cudac::Options::default() };
    let source = cudac::Source { name: "product.cu", text };
    let output = cudac::compile(&source, &options).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(output.warnings.is_empty(), "{}", output.warnings[0]);
    output.ptx
}

/// A small number in row `i` and column `j` of a matrix, which is exact in bfloat16, and so are sums of their products in f32.
fn element(seed: usize, i: usize, j: usize) -> i32 {
    ((i * 31 + j * 17 + seed * 7 + i * j % 13) % 7) as i32 - 3
}

fn bfloat16(value: i32) -> [u8; 2] {
    (((value as f32).to_bits() >> 16) as u16).to_le_bytes()
}

/// Multiplies two matrices; returns the product and the report.
fn multiply(ptx: &str, schedule: Schedule, seed: u64) -> (Vec<f32>, Report) {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("product.ptx", ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    let mut launch = Launch { checks: Checks::ALL, schedule, seed, ..Launch::new((1, 2), 256) };
    launch.shared_bytes = 2 * 48 * 1024;
    for which in 0..2 {
        let buffer = emulator.alloc("factor", (2 * N * N) as u64).unwrap();
        let places = (0..N).flat_map(|i| (0..N).map(move |j| (i, j)));
        let bytes: Vec<u8> = places.flat_map(|(i, j)| bfloat16(element(which, i, j))).collect();
        emulator.write(buffer).unwrap().copy_from_slice(&bytes);
        launch = launch.arg(buffer.address());
    }
    let c = emulator.alloc("c", (4 * N * N) as u64).unwrap();
    let report = emulator.launch(&module, "product", &launch.arg(c.address()).arg(N as i32)).unwrap();
    let bytes = emulator.read(c).unwrap();
    (bytes.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().unwrap())).collect(), report)
}

#[test]
fn a_product_in_two_stages_is_right_under_many_schedules() {
    let ptx = compile(PRODUCT);
    let wanted: Vec<f32> = (0..N)
        .flat_map(|i| (0..N).map(move |j| (i, j)))
        .map(|(i, j)| (0..N).map(|k| element(0, i, k) * element(1, k, j)).sum::<i32>() as f32)
        .collect();
    for (schedule, seed) in [(Schedule::RoundRobin, 0), (Schedule::Random, 1), (Schedule::Hunt, 2)] {
        let (c, report) = multiply(&ptx, schedule, seed);
        assert!(report.faults.is_empty(), "{schedule:?}: {}", report.faults[0]);
        assert!(c == wanted, "{schedule:?}");
    }
}

/// The finding of a kernel that differs from the right one in a line.
#[track_caller]
fn wrong(before: &str, after: &str, kind: FaultKind, words: &str) {
    assert!(PRODUCT.contains(before), "{before}");
    let ptx = compile(&PRODUCT.replacen(before, after, 1));
    for (schedule, seed) in [(Schedule::RoundRobin, 0), (Schedule::Random, 3)] {
        let (_, report) = multiply(&ptx, schedule, seed);
        let found = report.faults.iter().any(|fault| fault.kind == kind && fault.message.contains(words));
        assert!(found, "{before}: {:?}", report.faults);
    }
}

#[test]
fn a_product_without_its_fences_and_waits_is_found() {
    wrong(
        "wgmma_wait<1>();  // WAIT",
        "// WAIT",
        FaultKind::Race,
        "are written and read, and nothing orders",
    );
    wrong("    wgmma_wait<0>();\n", "", FaultKind::Race, "is read while the matrix product that writes it");
    wrong("        wgmma_commit();\n", "", FaultKind::Race, "nothing orders");
    wrong(
        "    asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n",
        "",
        FaultKind::Race,
        "no proxy fence is between the store and the matrix product",
    );
    wrong("        wgmma_fence();\n", "", FaultKind::Race, "no `wgmma.fence` is in between");
    wrong("64ull << 32", "4096ull << 32", FaultKind::OutOfBounds, "of shared memory, which has 98304 bytes");
    wrong(
        "memory);\n    int row",
        "memory + 128);\n    int row",
        FaultKind::Misaligned,
        "none of its swizzles",
    );
}

/// The kernels that are measured on a GPU: what is left out of the emulator is tensor copies.
#[test]
fn the_kernels_of_the_benchmark_compile() {
    let ptx = compile(include_str!("../../../tools/benchmarks/gpu/products/products_wgmma.cu"));
    let module = Emulator::new(Limits::default()).load("products.ptx", &ptx).unwrap();
    let left: Vec<_> = module.unsupported().into_iter().map(|error| error.message).collect();
    assert!(left.iter().all(|message| message.contains("cp.async.bulk.tensor")), "{left:?}");
}

#[test]
fn the_target_is_named_as_it_was_asked_for() {
    let ptx =
        compile("#ifdef __CUDA_ARCH_FEAT_SM90_ALL\nextern \"C\" __global__ void product() {}\n#endif\n");
    assert!(ptx.contains(".target sm_90a\n") && ptx.contains("product"), "{ptx}");
    let options = cudac::Options { sm: 80, is_specific: true, ..cudac::Options::default() };
    let source = cudac::Source { name: "product.cu", text: "" };
    let errors = cudac::compile(&source, &options).map(drop).unwrap_err().to_string();
    assert!(errors.contains("`sm_80a` is no target"), "{errors}");
}
