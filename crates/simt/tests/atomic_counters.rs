//! The counters of atomics, compared with an H200: every operation and pattern of `tools/benchmarks/gpu/atomics/cases.txt`.
//!
//! The record, `h200.csv` beside the cases, contains Nsight Compute's counts of the launches that are repeated here.
//! Operations that the assembler does not translate to a single instruction are left out: `EXPANDED` lists them with
//! the reasons. To see all numbers side by side, run
//! `cargo test -p ptx-emulator --test atomic_counters -- --nocapture`.

use std::collections::BTreeMap;

use record::{Atomic, Named, Table};
use simt::{Checks, Counters, Emulator, Launch, Limits};

const KERNEL: &str = include_str!("../../../tools/benchmarks/gpu/atomics/kernel.ptx");
const CASES: &str = include_str!("../../../tools/benchmarks/gpu/atomics/cases.txt");
const RECORD: &str = include_str!("../../../tools/benchmarks/gpu/atomics/h200.csv");

/// Operations that are not a single machine instruction.
const EXPANDED: [(&str, &str); 5] = [
    ("shared_red_add_one", "`ATOMS.POPC.INC` counts the lanes of a word in one pass"),
    ("shared_red_add_u64", "a loop around a compare-and-swap"),
    ("shared_add_u64", "a loop around a compare-and-swap"),
    ("shared_red_add_f32", "a loop around a compare-and-swap"),
    ("shared_add_f32", "a loop around a compare-and-swap"),
];

/// Patterns with so many cache lines that the H200 splits the warp into parts. A sector that lanes of two parts access
/// is counted twice. The record does not show which lanes are a part; the difference is one sector more, for `cas` once
/// two.
const MANY_LINES: [&str; 2] = ["mixed_banks", "scattered"];

/// The largest number of sectors by which parts increase a counter.
const PARTS_MORE: u64 = 2;

/// The number of metrics of atomics in the record.
const METRICS: usize = 6;

struct Operation<'t> {
    name: &'t str,
    bytes: u32,
    instruction: &'t str,
}

struct Pattern<'t> {
    name: &'t str,
    step: u32,
    bend: u32,
    modulus: u32,
    start: u32,
    mask: u32,
}

fn operations() -> impl Iterator<Item = Operation<'static>> {
    CASES.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("operation ")?.split_once(' ')?;
        let (bytes, instruction) = rest.trim_start().split_once(' ')?;
        Some(Operation { name, bytes: bytes.parse().ok()?, instruction })
    })
}

fn patterns() -> impl Iterator<Item = Pattern<'static>> {
    CASES.lines().filter_map(|line| {
        let mut words = line.strip_prefix("pattern ")?.split_whitespace();
        let name = words.next()?;
        let mut number = || words.next()?.parse().ok();
        let (step, bend, modulus, start) = (number()?, number()?, number()?, number()?);
        let mask = u32::from_str_radix(words.next()?, 16).ok()?;
        Some(Pattern { name, step, bend, modulus, start, mask })
    })
}

impl Pattern<'_> {
    fn offsets(&self, bytes: u32) -> Vec<u8> {
        let element = |lane: u32| self.start + (lane * self.step + lane * lane * self.bend) % self.modulus;
        let offset = |lane: u32| if self.mask >> lane & 1 != 0 { element(lane) * bytes } else { u32::MAX };
        (0..32).flat_map(|lane| offset(lane).to_le_bytes()).collect()
    }
}

fn run(operation: &Operation<'_>, pattern: &Pattern<'_>) -> Counters {
    let mut emulator = Emulator::new(Limits::default());
    let text = KERNEL.replace("\nOPERATION\n", &format!("\n{}\n", operation.instruction));
    let module = emulator.load(operation.name, &text).unwrap_or_else(|error| panic!("{error}"));
    let offsets = emulator.alloc("offsets", 128).unwrap();
    emulator.write(offsets).unwrap().copy_from_slice(&pattern.offsets(operation.bytes));
    let buffers =
        [offsets, emulator.alloc("memory", 16384).unwrap(), emulator.alloc("results", 256).unwrap()];
    let launch = Launch { checks: Checks::NONE, ..Launch::new(1, 32) };
    let launch = buffers.iter().fold(launch, |launch, buffer| launch.arg(buffer.address()));
    let report = emulator.launch(&module, "kernel", &launch).unwrap();
    assert!(report.faults.is_empty(), "{}: {:?}", operation.name, report.faults);
    report.counters
}

/// The H200's counts: by operation and pattern, the metrics by name.
fn record() -> BTreeMap<(String, String), Named<u64>> {
    let rows = Table::<Atomic>::read(RECORD, "the record").unwrap().rows;
    rows.into_iter().map(|row| ((row.operation, row.pattern), row.metrics)).collect()
}

fn key(operation: &Operation<'_>, pattern: &Pattern<'_>) -> (String, String) {
    (operation.name.to_owned(), pattern.name.to_owned())
}

/// The counters of atomics that have a metric: the name, the emulator's count, and the H200's.
fn beside(counters: &Counters, measured: &Named<u64>) -> Vec<(&'static str, u64, u64)> {
    let of_atomics = |name: &str| name.contains("atomic") || name.contains("reduction");
    let all = counters.all().into_iter().filter(|(name, ..)| of_atomics(name));
    all.filter_map(|(name, _, metric, here)| Some((name, here, *measured.get(metric?)?))).collect()
}

#[test]
fn counters_of_atomics_equal_those_of_an_h200() {
    let record = record();
    assert_eq!(record.len(), operations().count() * patterns().count(), "the record is of other cases");
    let mut off = Vec::new();
    for operation in operations() {
        let is_expanded = EXPANDED.iter().any(|(name, _)| *name == operation.name);
        for pattern in patterns() {
            let both = beside(&run(&operation, &pattern), &record[&key(&operation, &pattern)]);
            assert_eq!(both.len(), METRICS);
            for (counter, here, there) in both {
                let line =
                    format!("{:18} {:20} {counter:28} {here:3} {there:3}", operation.name, pattern.name);
                println!("{line}");
                let in_parts = MANY_LINES.contains(&pattern.name) && counter.ends_with("sectors") && here > 0;
                let most = if in_parts { here + PARTS_MORE } else { here };
                if !is_expanded && !(here..=most).contains(&there) {
                    off.push(line);
                }
            }
        }
    }
    assert!(off.is_empty(), "here and on the H200:\n{}", off.join("\n"));
}

#[test]
fn the_operations_that_are_left_out_exist_and_differ() {
    let (record, metric) = (record(), "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum");
    for (name, why) in EXPANDED {
        let operation = operations().find(|operation| operation.name == name);
        let operation = operation.unwrap_or_else(|| panic!("{name}, {why}: there is no such operation"));
        let differs = patterns().any(|pattern| {
            run(&operation, &pattern).shared_atomic_bank_conflicts
                != record[&key(&operation, &pattern)][metric]
        });
        assert!(differs, "{name} costs what it costs here: take it off the list");
    }
}
