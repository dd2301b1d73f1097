//! The map from registers to variables: what it says is in a register is there when the kernel runs.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use cudac::{Name, Options, Output, Source};
use simt::{Emulator, Launch, Limits};

fn compile(text: &str) -> Output {
    cudac::compile(&Source { name: "names.cu", text }, &Options::default())
        .unwrap_or_else(|errors| panic!("{errors}"))
}

/// Runs a kernel with one warp and the arguments `y` and `n`, and calls `each` for every variable that a register holds
/// before an instruction: with the line in the text, the lane, the name, and the bits.
fn watch(text: &str, n: u32, mut each: impl FnMut(u32, usize, &Name, u64)) {
    let output = compile(text);
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("names.ptx", &output.ptx).unwrap();
    let y = emulator.alloc("y", 4 * 32).unwrap();
    let launch = Launch::new(1, 32).arg(y.address()).arg(n);
    let mut watcher = |moment: &simt::Moment<'_>| {
        for group in moment.groups() {
            let Some(instruction) = group.instruction else { continue };
            let site = module.site(instruction);
            let Some(line) = site.source.as_ref().map(|source| source.line) else { continue };
            let registers: BTreeMap<&str, _> =
                moment.registers(moment.warp).map(|register| (register.name, register)).collect();
            for name in output.names.iter().filter(|name| name.holds_at(site.ptx_line)) {
                for lane in (0..32).filter(|lane| group.lanes >> lane & 1 != 0) {
                    each(line, lane, name, registers[&name.register[..]].value(lane));
                }
            }
        }
        ControlFlow::Continue(())
    };
    let report = emulator.launch_watched(&module, "kernel", &launch, &mut watcher).unwrap();
    assert!(report.faults.is_empty(), "{:?}", report.faults);
}

#[test]
fn registers_hold_what_the_names_say() {
    let text = r#"extern "C" __global__ void kernel(int* y, int n) {
    int i = threadIdx.x;
    int sum = n;
    for (int k = 0; k < i; k++) {
        int twice = 2 * k;
        sum += twice;
    }
    int half = sum / 2;
    y[i] = half + sum + n;
}"#;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    watch(text, 7, |line, lane, name, bits| {
        let (lane, value) = (lane as u64, bits & 0xffff_ffff);
        *seen.entry(name.variable.clone()).or_default() += 1;
        match (&name.variable[..], line) {
            ("i", _) => assert_eq!(value, lane, "line {line}"),
            ("n", _) => assert_eq!(value, 7, "line {line}"),
            ("k", _) => assert!(value <= lane, "line {line}: {value}"),
            ("twice", _) => assert!(value % 2 == 0 && value <= 2 * lane, "line {line}: {value}"),
            ("sum", 8 | 9) => assert_eq!(value, 7 + lane * lane.saturating_sub(1), "line {line}"),
            ("half", _) => {
                let sum = 7 + lane * lane.saturating_sub(1);
                assert_eq!((line, value), (9, sum / 2));
            }
            _ => {}
        }
    });
    for name in ["i", "n", "k", "sum", "half", "y"] {
        assert!(seen.get(name).is_some_and(|count| *count > 0), "`{name}` is nowhere: {seen:?}");
    }
}

#[test]
fn variables_of_functions_and_members_have_names() {
    let text = r#"struct Pair { int low, high; };
__device__ int larger(int a, int b) {
    int best = a;
    if (b > best) best = b;
    return best;
}
extern "C" __global__ void kernel(int* y, int n) {
    int i = threadIdx.x;
    Pair pair = {i, n};
    for (int k = 0; k < n; k++) pair.low += larger(k, i);
    y[i] = pair.low - pair.high;
}"#;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    watch(text, 40, |line, lane, name, bits| {
        *seen.entry(name.variable.clone()).or_default() += 1;
        let value = bits & 0xffff_ffff;
        match &name.variable[..] {
            "i" => assert_eq!(value, lane as u64, "line {line}"),
            "best" => assert!(value < 40 && line == 10, "line {line}: {value}"),
            "pair+0" if line == 11 => {
                let wanted: u64 = (0..40).map(|k| k.max(lane as u64)).sum();
                assert_eq!(value, wanted + lane as u64);
            }
            _ => {}
        }
    });
    for name in ["i", "k", "best", "pair+0"] {
        assert!(seen.get(name).is_some_and(|count| *count > 0), "`{name}` is nowhere: {seen:?}");
    }
}

#[test]
fn a_variable_is_in_no_register_before_its_declaration() {
    // Both variables have the value of the parameter, and its register.
    let text = r#"extern "C" __global__ void kernel(int* y, int n) {
    y[0] = n;
    int copy = n;
    y[1] = copy;
    y[2] = n;
}"#;
    let mut lines = Vec::new();
    watch(text, 7, |line, _, name, bits| {
        if name.variable == "copy" {
            assert_eq!(bits & 0xffff_ffff, 7);
            lines.push(line);
        }
    });
    lines.dedup();
    assert_eq!(lines, [4, 5]);
}

#[test]
fn the_map_of_every_kernel_names_lines_of_the_kernel() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "cu") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let options = Options { sm: 80, ..Options::default() };
        let Ok(output) = cudac::compile(&Source { name: "kernel.cu", text: &text }, &options) else {
            continue;
        };
        let lines: Vec<&str> = output.ptx.lines().collect();
        for name in &output.names {
            count += 1;
            let start =
                lines.iter().position(|line| line.contains(&format!(".entry {}(", name.kernel))).unwrap();
            let end = start + lines[start..].iter().position(|line| *line == "}").unwrap();
            assert!(!name.ptx_lines.is_empty(), "{name:?}");
            let mut last = start as u32;
            for range in &name.ptx_lines {
                assert!(
                    last <= range.start && range.start < range.end && range.end as usize <= end + 1,
                    "{name:?}"
                );
                last = range.end;
            }
            // Somewhere an instruction reads it.
            let of = |range: &std::ops::Range<u32>| &lines[range.start as usize - 1..range.end as usize - 1];
            let has = |line: &&str| line.contains(&name.register);
            assert!(name.ptx_lines.iter().any(|range| of(range).iter().any(has)), "{name:?}");
        }
    }
    assert!(count > 500, "{count}");
}
