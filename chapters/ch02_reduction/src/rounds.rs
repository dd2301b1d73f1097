//! A reduction of one block, round by round: which lanes add, and whom.
//!
//! The lanes come from a trace. Whom they add comes from the data: every element starts as a bit of its own, so what it
//! holds in the end says whom it has taken in. It leaves out blocks whose size is no power of two, in which sets of one
//! size may come from different rounds.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use lanes::Device;
use lanes::kernel::Kernel;
use lanes::machine::Traced;

use crate::sum::Reduction;

/// Which lanes of which warps store a sum in a round.
pub type Adding = BTreeMap<u32, u32>;

/// What one block did.
pub struct Rounds {
    pub adding: Vec<Adding>,
    /// PTX instructions that each warp issued.
    pub issued: Vec<u32>,
}

/// Runs a kernel on one block of `threads` elements, and looks at every instruction.
pub fn of(device: &mut Device, kernel: &'static Kernel, threads: u32) -> Result<Rounds> {
    let reduction = Reduction { kernel, block: threads, parts: 1, seed: 0 };
    let prepared = reduction.prepare(device, &vec![1; threads as usize], threads as usize)?;
    let steps = device.trace(&prepared.launch)?;
    // The first store is a sum of the first round, and all sums are stored at its line.
    let first = steps.iter().find(|step| step.ptx.starts_with("st.global"));
    let line = first.context("the kernel stores nothing: trace a block of two threads or more")?.line;
    let mut rounds = Rounds { adding: Vec::new(), issued: vec![0; threads.div_ceil(32) as usize] };
    let mut round = rounds.issued.clone();
    for step in &steps {
        rounds.issued[step.warp as usize] += 1;
        rounds.note(step, line, &mut round[step.warp as usize]);
    }
    Ok(rounds)
}

impl Rounds {
    /// A barrier ends a warp's round; a store at the line of the sums belongs to it.
    fn note(&mut self, step: &Traced, line: Option<u32>, round: &mut u32) {
        let index = *round as usize;
        if step.ptx.starts_with("bar.sync") {
            *round += 1;
        } else if step.line == line && step.ptx.starts_with("st.global") {
            self.adding.resize_with(self.adding.len().max(index + 1), Adding::new);
            *self.adding[index].entry(step.warp).or_default() |= step.active;
        }
    }

    /// The share of lanes that idle in a round, counted from 0, in the warps that add.
    pub fn idle(&self, round: usize) -> f64 {
        let adding = &self.adding[round];
        let lanes: u32 = adding.values().map(|mask| mask.count_ones()).sum();
        1.0 - f64::from(lanes) / (32.0 * adding.len() as f64)
    }

    /// In how many rounds a warp adds.
    pub fn adds(&self, warp: u32) -> usize {
        self.adding.iter().filter(|adding| adding.contains_key(&warp)).count()
    }
}

/// An element that was added to another, and in which round, counted from 0.
pub struct Pair {
    pub round: usize,
    pub into: usize,
    pub from: usize,
}

/// The elements of the small block that shows who adds whom: as many as an int has bits to spare for, to a power of two.
pub const SMALL: usize = 16;

/// Who adds whom in a block of [`SMALL`] threads.
pub fn pairs(device: &mut Device, kernel: &'static Kernel) -> Result<Vec<Pair>> {
    let bits: Vec<i32> = (0..SMALL).map(|i| 1 << i).collect();
    let reduction = Reduction { kernel, block: SMALL as u32, parts: 1, seed: 0 };
    let prepared = reduction.prepare(device, &bits, SMALL)?;
    let (_, taken_in) = device.trial(&prepared.launch, prepared.x)?;
    let mut pairs: Vec<Pair> = (0..SMALL).filter_map(|from| pair(&taken_in, from)).collect();
    pairs.sort_by_key(|pair| (pair.round, pair.into));
    Ok(pairs)
}

/// An element is left alone once it was added to another, so what it holds is what it was added as: 1 element in the
/// first round, 2 in the second, 4 in the third. Of all that hold as much and more, the least took it in itself.
fn pair(taken_in: &[i32], from: usize) -> Option<Pair> {
    let set = taken_in[from];
    let holds = |&into: &usize| into != from && taken_in[into] & set == set;
    let into = (0..taken_in.len()).filter(holds).min_by_key(|&into| taken_in[into].count_ones())?;
    Some(Pair { round: set.count_ones().ilog2() as usize, into, from })
}
