//! What several sections need: small integers, races that are expected, and trials over many seeds.
//!
//! Kernels are left out; each section names its own.

use anyhow::Result;
use thirty_two_lanes::{Buffer, Device, Launch, Random, Row, Run, Schedule, Verdict};

/// Integers so small that no sum of this chapter leaves 32 bits.
pub fn integers(n: usize, seed: u64) -> Vec<i32> {
    Random::new(seed).words(n).iter().map(|word| (word % 1000) as i32).collect()
}

/// Integers in the form that the reference needs.
pub fn doubles(values: &[i32]) -> Vec<f64> {
    values.iter().map(|&value| value.into()).collect()
}

/// The sum of integers, which double precision holds exactly.
pub fn exact_sum(values: &[i32]) -> f64 {
    values.iter().map(|&value| f64::from(value)).sum()
}

/// Whether a run shows a race.
pub fn has_race(run: &Run) -> bool {
    run.faults.iter().any(|fault| fault.kind.name() == "race")
}

/// The row of a kernel that races. Its verdict must be a fault, unless the reader switched the checkers off, because
/// only they can see the race. Then any verdict is accepted, because the result is a matter of luck.
pub fn racing(device: &Device, row: Row) -> Row {
    let is_off = device.unwatched().as_deref() == Some("none");
    let expected = if is_off { row.verdict } else { Verdict::Fault };
    row.expect(expected)
}

/// The number of seeds with which each kernel runs.
pub const SEEDS: u64 = 20;

/// A launch under [`SEEDS`] seeds, beginning with its own, with the warps in random order.
pub fn under_seeds(launch: &Launch, weak_memory: bool) -> Vec<Launch> {
    let seed = |more| {
        let mut launch = launch.clone().seed(launch.simt.seed.wrapping_add(more));
        (launch.simt.schedule, launch.simt.weak_memory) = (Schedule::Random, weak_memory);
        launch
    };
    (0..SEEDS).map(seed).collect()
}

/// The outcomes of a launch under many seeds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trials {
    /// Seeds under which a race was reported.
    pub races: u64,
    /// Seeds under which the result was wrong.
    pub wrong: u64,
    /// The same with a memory that returns older stores where the memory model allows it.
    pub wrong_if_weak: u64,
}

impl Trials {
    /// Runs a launch under [`SEEDS`] seeds, beginning with its own, with the warps in random order.
    pub fn of(device: &mut Device, launch: &Launch, result: Buffer<i32>, expected: &[f64]) -> Result<Trials> {
        let mut trials = Trials::default();
        for (run, got) in device.trials(&under_seeds(launch, false), result)? {
            trials.races += u64::from(has_race(&run));
            trials.wrong += u64::from(doubles(&got) != expected);
        }
        for (_, got) in device.trials(&under_seeds(launch, true), result)? {
            trials.wrong_if_weak += u64::from(doubles(&got) != expected);
        }
        Ok(trials)
    }

    /// Adds these figures to the row as facts, and in words if a race or a wrong result was found.
    pub fn add_to(self, row: Row) -> Row {
        let row = row
            .fact("seeds", SEEDS as f64)
            .fact("seeds_with_race", self.races as f64)
            .fact("seeds_wrong", self.wrong as f64)
            .fact("seeds_wrong_if_weak", self.wrong_if_weak as f64);
        let Trials { races, wrong, wrong_if_weak } = self;
        if races + wrong + wrong_if_weak == 0 {
            return row;
        }
        row.remark(format!(
            "of {SEEDS} seeds, {races} show a race, {wrong} a wrong result, and {wrong_if_weak} a wrong \
             result if memory is weak"
        ))
    }
}
