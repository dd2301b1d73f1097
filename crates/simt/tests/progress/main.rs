//! Forward progress: kernels that spin and pass values, inside a warp, between warps and between blocks, each with its
//! result under both mechanisms, and the reason.
//!
//! With independent thread scheduling, every kernel that ends under weak fairness among resident blocks must end, with
//! the correct result, whatever the policy. With the reconvergence stack, the side of a branch that contains the lowest
//! lane runs first and to its end. A kernel that needs the other side meanwhile is a livelock, which must be proven and
//! not be found by the bound on steps. What a real GPU promises beyond that is left out (`kernels/progress.cu` can be
//! run on one).

mod blocks;
mod gpu;
mod halt;
mod hunt;
mod kernel;
mod late;
mod recurrence;
mod separation;
mod warp;

use std::ops::Range;
use std::sync::OnceLock;

use simt::{Emulator, FaultKind, Launch, Limits, Reconvergence, Schedule};

/// How a kernel ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It ends with the correct results.
    Ends,
    /// No thread makes progress, and the report says so.
    Livelock,
}
use Verdict::{Ends, Livelock};

/// A kernel and the expected results.
pub struct Case {
    /// Its name, for messages.
    pub name: String,
    /// The module.
    pub text: String,
    /// The number of blocks.
    pub grid: u32,
    /// The number of threads in a block.
    pub block: u32,
    /// The number of resident blocks.
    pub resident: u32,
    /// A cell that does not start as zero, with its value.
    pub start: Option<(usize, u32)>,
    /// The results of the threads.
    pub results: Vec<u32>,
    /// The verdict with independent thread scheduling.
    pub its: Verdict,
    /// The verdict with the reconvergence stack.
    pub stack: Verdict,
    /// The reason.
    pub why: &'static str,
}

impl Case {
    /// A kernel of one warp that ends under both mechanisms.
    pub fn warp(name: impl Into<String>, text: String, results: Vec<u32>) -> Case {
        let name = name.into();
        let block = results.len() as u32;
        Case {
            name,
            text,
            grid: 1,
            block,
            resident: 16,
            start: None,
            results,
            its: Ends,
            stack: Ends,
            why: "",
        }
    }

    /// The same case with this verdict for the stack, and the reason.
    #[must_use]
    pub fn stack(self, stack: Verdict, why: &'static str) -> Case {
        Case { stack, why, ..self }
    }

    fn check(&self) {
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load(&self.name, &self.text);
        let module = module.unwrap_or_else(|error| panic!("{}: {error}\n{}", self.name, self.text));
        let out = emulator.alloc("out", 4 * (64 + self.results.len() as u64)).unwrap();
        let mut run = |reconvergence, schedule, seed, verdict| {
            emulator.write(out).unwrap().fill(0);
            if let Some((cell, value)) = self.start {
                emulator.write(out).unwrap()[4 * cell..][..4].copy_from_slice(&u32::to_le_bytes(value));
            }
            let launch = Launch {
                resident_blocks: self.resident,
                max_steps: MAX_STEPS,
                ..Launch::new(self.grid, self.block).arg(out.address())
            };
            let launch = Launch { reconvergence, schedule, seed, ..launch };
            let report = emulator.launch(&module, "kernel", &launch).unwrap();
            let label = format!("{} ({reconvergence:?}, {schedule:?}, seed {seed}): {}", self.name, self.why);
            let faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
            let kinds: Vec<FaultKind> = report.faults.iter().map(|fault| fault.kind).collect();
            let expected = if verdict == Ends { vec![] } else { vec![FaultKind::Livelock] };
            assert_eq!(kinds, expected, "{label}\n{}\n{}", faults.join("\n"), self.text);
            if verdict == Ends {
                let words = emulator.read(out).unwrap()[256..].chunks(4);
                let found: Vec<u32> =
                    words.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
                assert_eq!(found, self.results, "{label}");
            }
        };
        run(Reconvergence::Its, Schedule::RoundRobin, 0, self.its);
        run(Reconvergence::Stack, Schedule::RoundRobin, 0, self.stack);
        let seeds = seeds();
        let few = (seeds.end - seeds.start).div_ceil(10);
        for schedule in [Schedule::Random, Schedule::Hunt] {
            seeds.clone().for_each(|seed| run(Reconvergence::Its, schedule, seed, self.its));
            seeds
                .clone()
                .take(few as usize)
                .for_each(|seed| run(Reconvergence::Stack, schedule, seed, self.stack));
        }
    }
}

/// The number of seeds for each random policy, of which the stack gets a tenth; `cargo xtask thorough progress` takes
/// more.
const SEEDS: u64 = 25;

fn seeds() -> Range<u64> {
    static ONCE: OnceLock<Range<u64>> = OnceLock::new();
    ONCE.get_or_init(|| test_support::seeds(SEEDS)).clone()
}

/// Some thousand steps for each handover. Before lanes that wait to reconverge were released early, a handover took
/// 2^18 steps.
const MAX_STEPS: u64 = 400_000;

fn check_all(cases: &[Case]) {
    cases.iter().for_each(Case::check);
}

#[test]
fn one_lane_of_a_warp_produces() {
    check_all(&warp::producers());
}

#[test]
fn lanes_of_a_warp_take_a_lock() {
    check_all(&warp::locks());
}

#[test]
fn lanes_of_a_warp_continue_one_after_another() {
    check_all(&warp::chains());
}

#[test]
fn lanes_of_a_warp_reconverge_and_diverge() {
    check_all(&warp::reconverging());
}

#[test]
fn warps_and_blocks_wait_for_one_another() {
    check_all(&blocks::warps());
    check_all(&blocks::blocks());
}

#[test]
fn there_are_many_kernels_of_both_kinds() {
    let families = [warp::producers(), warp::locks(), warp::chains(), warp::reconverging()];
    let families = families.into_iter().chain([blocks::warps(), blocks::blocks()]);
    let cases: Vec<Case> = families.flatten().collect();
    let stuck = cases.iter().filter(|case| case.stack == Livelock).count();
    assert!(cases.len() >= 60 && stuck >= 20, "{} cases, {stuck} of them stuck", cases.len());
    let mut names: Vec<&String> = cases.iter().map(|case| &case.name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), cases.len(), "names are unique");
}
