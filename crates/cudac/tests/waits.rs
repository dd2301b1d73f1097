//! Asynchronous copies as CUDA C++ has them: what waits for them is needed, and the checkers find where it is missing.
//!
//! Each file of `waits/` is right on every target, under every seed. A line that ends with `// needed: KINDS` is left out in
//! one twin, of which at least one of these findings is told from `sm_80` on, where copies are asynchronous.

use std::fs;
use std::path::Path;

use simt::{Checks, Emulator, Launch, Limits, Schedule, Severity};

const TARGETS: [u32; 3] = [70, 80, 90];
const BATCHES: usize = 5;
const SIZE: usize = 64;

/// The targets of a file: its name may say that there is only one.
fn targets(name: &str) -> &'static [u32] {
    if name.ends_with("sm_90.cu") { &TARGETS[2..] } else { &TARGETS }
}

fn compile(name: &str, text: &str, sm: u32) -> String {
    let options = cudac::Options { sm, ..cudac::Options::default() };
    let output = cudac::compile(&cudac::Source { name, text }, &options);
    output.unwrap_or_else(|errors| panic!("{name}, sm_{sm}\n{errors}")).ptx
}

/// The errors of a run, and what it leaves.
fn run(name: &str, ptx: &str, threads: u32, seed: u64) -> (Vec<&'static str>, Vec<f32>) {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load(name, ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    let bytes = 4 * (SIZE * BATCHES) as u64;
    let (out, input) = (emulator.alloc("out", bytes).unwrap(), emulator.alloc("in", bytes).unwrap());
    for (at, word) in emulator.write(input).unwrap().chunks_exact_mut(4).enumerate() {
        word.copy_from_slice(&(at as f32 + 1.0).to_le_bytes());
    }
    let schedule = if seed.is_multiple_of(2) { Schedule::Random } else { Schedule::Hunt };
    let launch = Launch::new(1, threads).arg(out.address()).arg(input.address()).arg(BATCHES as u32);
    let launch = Launch { seed, schedule, checks: Checks::ALL, max_steps: 100_000, ..launch };
    let report = emulator.launch(&module, "kernel", &launch).unwrap();
    let errors = report.faults.iter().filter(|fault| fault.severity == Severity::Error);
    let words = emulator.read(out).unwrap().chunks_exact(4);
    let found = words.map(|word| f32::from_le_bytes(word.try_into().unwrap()));
    (errors.map(|fault| fault.kind.name()).collect(), found.collect())
}

/// The files, each with its name and its number of threads.
fn files() -> Vec<(String, String, u32)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/waits");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let file = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let threads = text.strip_prefix("// ").and_then(|text| text.split(' ').next()).unwrap();
        let threads =
            threads.parse().unwrap_or_else(|_| panic!("{} begins with a number of threads", path.display()));
        (path.file_name().unwrap().to_str().unwrap().to_owned(), text, threads)
    };
    files.into_iter().map(file).collect()
}

#[test]
fn what_waits_for_its_copies_is_right_under_every_seed() {
    let wanted: Vec<f32> =
        (0..SIZE * BATCHES).map(|at| 2.0 * (at / SIZE * SIZE + SIZE - at % SIZE) as f32).collect();
    for (name, text, threads) in files() {
        for sm in targets(&name).iter().copied() {
            let ptx = compile(&name, &text, sm);
            assert_eq!(ptx.contains("cp.async"), sm >= 80, "{name}\n{ptx}");
            for seed in test_support::seeds(4) {
                let (errors, found) = run(&name, &ptx, threads, seed);
                assert_eq!(errors, <Vec<&str>>::new(), "{name}, sm_{sm}, seed {seed}");
                assert_eq!(found, wanted, "{name}, sm_{sm}, seed {seed}");
            }
        }
    }
}

#[test]
fn every_wait_that_is_missing_is_found_under_every_seed() {
    for (name, text, threads) in files() {
        let lines: Vec<&str> = text.lines().collect();
        let needed =
            lines.iter().enumerate().filter_map(|(at, line)| Some((at, line.split_once("// needed: ")?.1)));
        let mut twins = 0;
        for (at, kinds) in needed {
            let twin: Vec<&str> =
                lines.iter().enumerate().filter(|(nth, _)| *nth != at).map(|(_, line)| *line).collect();
            let all = targets(&name);
            let sm = all[all.len() - 1 - (at % 2).min(all.len() - 1)];
            let ptx = compile(&name, &twin.join("\n"), sm);
            for seed in test_support::seeds(4) {
                let (errors, _) = run(&name, &ptx, threads, seed);
                let is_told = errors.iter().any(|error| kinds.split(' ').any(|kind| kind == *error));
                assert!(is_told, "{name} without line {}, seed {seed}: {errors:?}", at + 1);
            }
            twins += 1;
        }
        assert!(twins > 0, "{name}");
    }
}
