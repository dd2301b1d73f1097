//! A launch in a weak memory, seed by seed, for the chapters about locks, scans and orders.
//!
//! In the emulator's ordinary memory a load returns the last store, so a missing fence changes nothing. In
//! its weak memory a load may return an older store if PTX's memory model allows it, and the seed decides.
//! One wrong seed proves that the kernel is wrong. If a few seeds are all right, that proves nothing, which
//! is why the checker of races watches the other rows. No GPU takes part, because no GPU can be made to do
//! everything that the model allows.

use anyhow::Result;
use simt::{Checks, Schedule, StaleRead};

use crate::kernel::Kernel;
use crate::report::Section;
use crate::{Buffer, Device, Element, Launch, Row, Run, Verdict};

/// How many seeds a message gets, which has one chance to fail in each. They are always the same, because whether a
/// mistake is found must not depend on `--seed`.
pub const MANY: u64 = 40;
/// How many seeds a lock gets, which has a chance to fail in every round.
pub const SOME: u64 = 10;

/// The results of all seeds together.
#[derive(Default)]
struct Found {
    run: Run,
    wrong: u64,
    /// The largest amount that was missing with any seed.
    worst: f64,
    /// The first wrong seed, and its first stale read.
    first: Option<(u64, Option<StaleRead>)>,
    stale: u64,
}

/// Runs a launch with this many seeds. `missing` says how much a result lacks: zero if it is right.
pub fn seeds<T: Element>(
    device: &mut Device,
    launch: &Launch,
    result: Buffer<T>,
    seeds: u64,
    missing: impl Fn(&[T]) -> f64,
) -> Result<Row> {
    let mut launch = launch.clone();
    (launch.simt.checks, launch.simt.schedule) = (Checks::NONE, Schedule::Random);
    launch.simt.weak_memory = true;
    let launches: Vec<Launch> = (0..seeds).map(|seed| launch.clone().seed(seed)).collect();
    let mut found = Found::default();
    for (seed, (run, values)) in (0..seeds).zip(device.trials(&launches, result)?) {
        found.add(seed, run, missing(&values));
    }
    // A row without kernels counts as one that no GPU runs, so the record of a GPU's counters omits it.
    found.run.kernels.clear();
    Ok(found.row(seeds))
}

impl Found {
    fn add(&mut self, seed: u64, run: Run, missing: f64) {
        self.stale += run.stale_reads.iter().map(|read| read.count).sum::<u64>();
        if missing != 0.0 {
            self.wrong += 1;
            self.worst = self.worst.max(missing);
            self.first.get_or_insert_with(|| (seed, run.stale_reads.first().cloned()));
        }
        self.run += run;
    }

    fn row(self, seeds: u64) -> Row {
        let verdict = if self.wrong > 0 { Verdict::Wrong } else { Verdict::Ok };
        let row = Row::new(self.run, verdict)
            .fact("seeds", seeds as f64)
            .fact("seeds_wrong", self.wrong as f64)
            .fact("worst", self.worst)
            .fact("stale_reads", self.stale as f64);
        let Some((seed, read)) = &self.first else { return row };
        let read =
            read.as_ref().map_or_else(|| "no load was stale, but one came too early".to_owned(), describe);
        row.remark(format!("{} of {seeds} seeds are wrong; in seed {seed}, {read}", self.wrong))
    }
}

/// Which load returned an older store, and which newer store it missed because nothing orders the two.
fn describe(read: &StaleRead) -> String {
    let at = |actor: &simt::Actor| match &actor.site.source {
        Some(source) => format!("block {} at {source}", actor.block.x),
        None => format!("block {} at PTX line {}", actor.block.x, actor.site.ptx_line),
    };
    let did = if read.is_late { "had a store on its way" } else { "had stored since" };
    format!("{} {}, although {} {did}", at(&read.reader), read.reader.doing, at(&read.newer))
}

/// How many seeds were wrong in the row of a kernel in a weak memory, if it was run.
pub fn wrong(section: &Section, kernel: &Kernel) -> Option<f64> {
    section.row(&name(kernel))?.fact_value("seeds_wrong")
}

/// The name of a variant in a weak memory.
pub fn name(kernel: &Kernel) -> String {
    format!("{kernel}-weak")
}
