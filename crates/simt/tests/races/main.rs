//! The kernels of `kernels/races.cu`, `messages.cu` and `patterns.cu`: every mistake is reported at its CUDA lines, and
//! nothing else is reported.
//!
//! The source marks a line that is part of a race at its end (`// race`); a kernel without such a line is correct. Each
//! kernel runs in all of its builds, with both mechanisms and several schedules. What the checker reports in any of
//! these runs is compared with the marks. The results of the locks and messages with the weak memory are tested here
//! too, and those of the correct patterns with both memories.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use simt::{
    Buffer, Checks, Emulator, Fault, FaultKind, Launch, Limits, Module, Reconvergence, Report, Schedule,
    Severity,
};

mod patterns;

const PATIENCE: i32 = 1000;
/// The number of schedules and memories with which each correct pattern runs.
const PATTERN_SEEDS: u64 = 6;

/// A kernel: its name, and the lines at which it races.
struct Kernel {
    name: String,
    lines: BTreeSet<u32>,
}

fn read(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../kernels").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The kernels of a source file.
fn kernels(file: &str) -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = Vec::new();
    for (number, line) in (1..).zip(read(&format!("{file}.cu")).lines()) {
        if let Some(head) = line.strip_prefix("extern \"C\" __global__ void ") {
            let name = head.split('(').next().unwrap().to_owned();
            kernels.push(Kernel { name, lines: BTreeSet::new() });
        } else if line.ends_with("// race") {
            kernels.last_mut().expect("a race is in a kernel").lines.insert(number);
        }
    }
    kernels
}

/// One emulator with a module, and a launch that is being prepared.
struct Bench {
    emulator: Emulator,
    launch: Launch,
}

impl Bench {
    fn words(&mut self, name: &str, words: impl IntoIterator<Item = u32>) -> Buffer {
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        let buffer = self.emulator.alloc(name, bytes.len() as u64).unwrap();
        self.emulator.write(buffer).unwrap().copy_from_slice(&bytes);
        self.launch.args.push(buffer.address().into());
        buffer
    }

    fn shape(&mut self, grid: u32, block: u32) {
        (self.launch.grid, self.launch.block) = (grid.into(), block.into());
    }

    /// Adds the arguments that a kernel's file requires; returns the buffer with its result.
    fn prepare(&mut self, kernel: &str) -> Buffer {
        const N: u32 = 2 * 256;
        let family = kernel.split('_').next().unwrap();
        let result = match family {
            "tree" => {
                self.shape(2, 256);
                self.words("x", 0..N);
                self.words("sums", [0; 2])
            }
            "warp" | "shuffle" => {
                self.words("x", 0..32);
                self.words("sums", [0; 32])
            }
            "shift" => {
                self.shape(2, 256);
                let x = self.words("x", 0..N);
                if kernel == "shift_apart" { self.words("y", 0..N) } else { x }
            }
            "count" => {
                self.shape(2, 64);
                self.words("count", [0])
            }
            "same" => {
                self.shape(2, 256);
                self.words("x", (0..N).map(|i| if i % 3 == 0 { u32::MAX } else { i }));
                self.words("found", [0])
            }
            "message" => {
                self.shape(2, 32);
                self.words("data", [0]);
                self.words("flag", [0]);
                self.words("got", [0; 2])
            }
            "lock" => {
                self.shape(8, 32);
                self.words("lock", [0]);
                self.words("count", [0])
            }
            "last" => {
                self.shape(8, 32);
                self.words("sums", [0; 8]);
                self.words("tickets", [0]);
                self.words("total", [0])
            }
            _ => return self.prepare_pattern(),
        };
        match family {
            "tree" | "shift" | "same" => self.launch.args.push(N.into()),
            "message" | "lock" => self.launch.args.push(PATIENCE.into()),
            _ => {}
        }
        result
    }
}

impl Bench {
    /// The arguments of all kernels of `kernels/patterns.cu`.
    fn prepare_pattern(&mut self) -> Buffer {
        self.shape(6, 64);
        self.words("x", patterns::numbers());
        let y = self.words("y", [0; patterns::THREADS]);
        self.words("state", [0; 32]);
        y
    }
}

/// An emulator with the module of a build. It is loaded once for all tests, because loading takes longer than running a
/// kernel.
fn loaded(build: &str) -> (Emulator, Module) {
    static LOADED: Mutex<BTreeMap<String, (Emulator, Module)>> = Mutex::new(BTreeMap::new());
    let load = || {
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load(build, &read(&format!("ptx/{build}.ptx"))).unwrap();
        (emulator, module)
    };
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    loaded.entry(build.to_owned()).or_insert_with(load).clone()
}

/// Runs a kernel of a build with some choices. Returns the report, and the contents of its result.
fn run(build: &str, kernel: &str, choose: impl Fn(&mut Launch)) -> (Report, Vec<u32>) {
    let (emulator, module) = loaded(build);
    let mut bench = Bench { emulator, launch: Launch::new(1, 32) };
    let result = bench.prepare(kernel);
    bench.launch.checks = Checks::ALL;
    choose(&mut bench.launch);
    let report = bench.emulator.launch(&module, kernel, &bench.launch).unwrap();
    let words = bench.emulator.read(result).unwrap().chunks(4);
    (report, words.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect())
}

/// The lines at which races of at least this severity are reported, with several schedules.
fn racing_lines(build: &str, kernel: &str, worst: Severity) -> BTreeSet<u32> {
    let mut lines = BTreeSet::new();
    for seed in 0..8 {
        let schedule = if seed == 0 { Schedule::RoundRobin } else { Schedule::Random };
        let (report, _) = run(build, kernel, |launch| (launch.seed, launch.schedule) = (seed, schedule));
        // A thread that reads without waiting may read uninitialised memory.
        let early = |fault: &Fault| kernel.ends_with("_wrong") && fault.kind == FaultKind::Uninitialized;
        for fault in report.faults.iter().filter(|fault| fault.severity >= worst && !early(fault)) {
            assert_eq!(fault.kind, FaultKind::Race, "{build}, {kernel}: {fault}");
            lines.extend(fault.actors.iter().map(|actor| actor.site.source.as_ref().unwrap().line));
        }
    }
    lines
}

/// A correct pattern that waits for a volatile flag with which no data is passed. CUDA C++ calls that a race
/// nevertheless, and it is a note.
const WAITS_FOR_VOLATILE: [&str; 1] = ["polled"];

/// Kernels that the build for `sm_60` leaves out, because they name a memory order.
const SINCE_VOLTA: [&str; 1] = ["count_atomic_block"];

fn check(file: &str) {
    test_support::side_by_side(&kernels(file), |kernel| {
        let Kernel { name, lines } = kernel;
        for build in ["sm_70", "sm_70-debug"] {
            let found = racing_lines(&format!("{file}.{build}"), name, Severity::Warning);
            assert_eq!(found, *lines, "{file}.cu, {build}, `{name}`");
        }
        if SINCE_VOLTA.contains(&name.as_str()) {
            return;
        }
        // Before Volta, lockstep orders what the lanes of one warp do: the finding is a warning, at the same lines.
        let found = racing_lines(&format!("{file}.sm_60"), name, Severity::Warning);
        assert!(found.is_subset(lines), "{file}.cu, sm_60, `{name}`: {found:?}");
        let errors = racing_lines(&format!("{file}.sm_60"), name, Severity::Error);
        let in_warp = name.starts_with("warp_") || name.starts_with("shuffle_");
        assert!(!in_warp || errors.is_empty(), "{file}.cu, sm_60, `{name}`: {errors:?}");
    });
}

#[test]
fn races_are_reported_exactly_at_their_lines() {
    check("races");
}

#[test]
fn messages_and_locks_are_judged_by_the_memory_model() {
    check("messages");
}

#[test]
fn patterns_are_right_and_their_wrong_twins_race() {
    check("patterns");
}

#[test]
fn right_patterns_have_right_results_and_no_finding_under_every_schedule_and_memory() {
    for Kernel { name, .. } in kernels("patterns").iter().filter(|kernel| kernel.lines.is_empty()) {
        for (build, reconvergence) in [("sm_70", Reconvergence::Its), ("sm_60", Reconvergence::Stack)] {
            for seed in 0..PATTERN_SEEDS {
                let schedule = [Schedule::RoundRobin, Schedule::Random, Schedule::Hunt][seed as usize % 3];
                let (report, found) = run(&format!("patterns.{build}"), name, |launch| {
                    launch.weak_memory = seed % 2 == 1;
                    (launch.reconvergence, launch.schedule, launch.seed) = (reconvergence, schedule, seed);
                });
                let label = format!("{build}, `{name}`, {schedule:?}, seed {seed}");
                let is_noted = |fault: &&Fault| fault.kind == FaultKind::VolatileRace;
                let noted = report.faults.iter().filter(is_noted).count();
                let others = report.faults.iter().find(|fault| !is_noted(fault));
                assert_eq!(others, None, "{label}");
                assert!(noted == 0 || WAITS_FOR_VOLATILE.contains(&name.as_str()), "{label}");
                assert_eq!(found, patterns::expected(name), "{label}");
            }
        }
    }
}

#[test]
fn the_same_value_stored_by_many_is_a_note() {
    let (report, found) = run("races.sm_70", "same_value", |_| ());
    let severities: Vec<Severity> = report.faults.iter().map(|fault| fault.severity).collect();
    assert_eq!((severities, found), (vec![Severity::Note], vec![1]));
}

#[test]
fn each_pair_of_lines_has_one_report_with_a_count() {
    let (report, _) = run("races.sm_70", "warp_tree_unguarded", |_| ());
    assert_eq!(report.faults.len(), 1, "{:?}", report.faults);
    assert!(report.faults[0].count > 1, "{:?}", report.faults);
}

#[test]
fn a_race_that_only_lockstep_orders_is_a_warning() {
    let stack = |launch: &mut Launch| launch.reconvergence = Reconvergence::Stack;
    let (report, sums) = run("races.sm_60", "warp_tree_unguarded", stack);
    assert_eq!(report.faults[0].severity, Severity::Warning, "{}", report.faults[0]);
    assert_eq!(sums[0], (0..32).sum(), "and the sum is right");
}

/// The results of a kernel with some seeds of the weak memory.
fn weak_results(kernel: &str) -> Vec<Vec<u32>> {
    let weak = |seed| {
        move |launch: &mut Launch| {
            launch.weak_memory = true;
            launch.schedule = Schedule::Random;
            launch.seed = seed;
        }
    };
    (0..200).map(|seed| run("messages.sm_70", kernel, weak(seed)).1).collect()
}

#[test]
fn a_message_without_fences_overtakes_its_data_with_some_seed() {
    let is_wrong = |got: &Vec<u32>| got[1] == 1 && got[0] != 42;
    for wrong in ["message_no_fence", "message_one_fence", "message_block_fence"] {
        assert!(weak_results(wrong).iter().any(is_wrong), "{wrong}");
    }
    let got = weak_results("message_fences");
    assert!(!got.iter().any(is_wrong));
    assert!(got.iter().any(|got| got[1] == 1), "the message arrives");
}

#[test]
fn a_lock_without_fences_loses_updates_with_some_seed() {
    for wrong in ["lock_no_fence", "lock_one_fence"] {
        assert!(weak_results(wrong).iter().any(|count| count[0] != 8), "{wrong}");
    }
    assert!(weak_results("lock_fences").iter().all(|count| count[0] == 8));
    let total: u32 = (1..=8).sum();
    assert!(weak_results("last_block_no_fence").iter().any(|sum| sum[0] != total));
    assert!(weak_results("last_block_fence").iter().all(|sum| sum[0] == total));
}

#[test]
fn stale_reads_of_the_weak_memory_are_reported() {
    let stale = (0..200).find_map(|seed| {
        let (report, _) = run("messages.sm_70", "message_no_fence", |launch| {
            (launch.weak_memory, launch.schedule, launch.seed) = (true, Schedule::Random, seed);
        });
        report.stale_reads.iter().map(ToString::to_string).find(|stale| stale.contains("`data`"))
    });
    let stale = stale.expect("some seed reads the data too early");
    for word in [
        "a load of bytes 0 to 3 of `data` returned 0x0, although 0x2a had been stored there",
        "messages.cu:",
        "had stored here",
    ] {
        assert!(stale.contains(word), "`{word}` is not in\n{stale}");
    }
}
