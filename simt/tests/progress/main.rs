//! Forward progress: kernels that spin and hand over, inside a warp, between warps and between blocks, each with what
//! becomes of it under both mechanisms, and why.
//!
//! Under independent thread scheduling whatever ends under weak fairness among resident blocks must end, with the right
//! result, whichever policy has the turns. Under the stack the side of a branch that holds the lowest lane runs first
//! and to its end, and what needs the other side meanwhile is a livelock: proven, not found by the bound on steps.
//! Left out: what a real GPU promises beyond that (`kernels/progress.cu` asks one).

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

/// What becomes of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It ends, with the right results.
    Ends,
    /// Nobody gets on, and the report says so.
    Livelock,
}
use Verdict::{Ends, Livelock};

/// A kernel with what is expected of it.
pub struct Case {
    /// Its name, for messages.
    pub name: String,
    /// The module.
    pub text: String,
    /// Blocks.
    pub grid: u32,
    /// Threads in a block.
    pub block: u32,
    /// Blocks on the machine at a time.
    pub resident: u32,
    /// A cell that does not start as zero, with its value.
    pub start: Option<(usize, u32)>,
    /// The results of the threads.
    pub results: Vec<u32>,
    /// Under independent thread scheduling.
    pub its: Verdict,
    /// Under the stack.
    pub stack: Verdict,
    /// Why.
    pub why: &'static str,
}

impl Case {
    /// One warp, where all ends well.
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

    /// The same, with what the stack makes of it and why.
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
            let told: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
            let kinds: Vec<FaultKind> = report.faults.iter().map(|fault| fault.kind).collect();
            let expected = if verdict == Ends { vec![] } else { vec![FaultKind::Livelock] };
            assert_eq!(kinds, expected, "{label}\n{}\n{}", told.join("\n"), self.text);
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

/// Seeds of each random policy, and a tenth as many under the stack; `cargo xtask thorough progress` takes more.
const SEEDS: u64 = 25;

fn seeds() -> Range<u64> {
    static ONCE: OnceLock<Range<u64>> = OnceLock::new();
    ONCE.get_or_init(|| sample::seeds(SEEDS)).clone()
}

/// Some thousand steps a handover; before lanes that wait at a meeting were let go early it was 2^18.
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
fn lanes_of_a_warp_go_one_after_the_other() {
    check_all(&warp::chains());
}

#[test]
fn lanes_of_a_warp_meet_and_part() {
    check_all(&warp::meetings());
}

#[test]
fn warps_and_blocks_wait_for_one_another() {
    check_all(&blocks::warps());
    check_all(&blocks::blocks());
}

#[test]
fn there_are_many_kernels_of_both_kinds() {
    let families = [warp::producers(), warp::locks(), warp::chains(), warp::meetings()];
    let families = families.into_iter().chain([blocks::warps(), blocks::blocks()]);
    let cases: Vec<Case> = families.flatten().collect();
    let stuck = cases.iter().filter(|case| case.stack == Livelock).count();
    assert!(cases.len() >= 60 && stuck >= 20, "{} cases, {stuck} of them stuck", cases.len());
    let mut names: Vec<&String> = cases.iter().map(|case| &case.name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), cases.len(), "names are unique");
}
