//! A reduction of one block, round by round: which lanes add, and which elements.
//!
//! The lanes come from a trace. The elements come from the data: each one starts as a bit of its own, so the
//! value that it ends with says which others were added to it. Blocks whose size is not a power of two are
//! left out, because in these sums of equally many elements may come from different rounds.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use thirty_two_lanes::Device;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::machine::Traced;

use crate::sum::Reduction;

/// The lanes that store a sum in a round, by their warp.
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
    // The first store is that of a sum of the first round, and its line stores all of them.
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
    /// A store at the line of the sums belongs to the warp's round, and a barrier ends the round.
    fn note(&mut self, step: &Traced, line: Option<u32>, round: &mut u32) {
        let index = *round as usize;
        if step.ptx.starts_with("bar.sync") {
            *round += 1;
        } else if step.line == line && step.ptx.starts_with("st.global") {
            self.adding.resize_with(self.adding.len().max(index + 1), Adding::new);
            *self.adding[index].entry(step.warp).or_default() |= step.active;
        }
    }

    /// The share of idle lanes among the warps that add in a round; rounds are counted from 0.
    pub fn idle(&self, round: usize) -> f64 {
        let adding = &self.adding[round];
        let lanes: u32 = adding.values().map(|mask| mask.count_ones()).sum();
        1.0 - f64::from(lanes) / (32.0 * adding.len() as f64)
    }

    /// The number of rounds in which a warp adds.
    pub fn adds(&self, warp: u32) -> usize {
        self.adding.iter().filter(|adding| adding.contains_key(&warp)).count()
    }
}

/// An element that was added to another, and the round in which that was, counted from 0.
pub struct Pair {
    pub round: usize,
    pub into: usize,
    pub from: usize,
}

/// The number of elements of the small block that shows the pairs: a power of two, and no more than an int
/// has bits.
pub const SMALL: usize = 16;

/// The pairs of a block of [`SMALL`] threads.
pub fn pairs(device: &mut Device, kernel: &'static Kernel) -> Result<Vec<Pair>> {
    let bits: Vec<i32> = (0..SMALL).map(|i| 1 << i).collect();
    let reduction = Reduction { kernel, block: SMALL as u32, parts: 1, seed: 0 };
    let prepared = reduction.prepare(device, &bits, SMALL)?;
    let (_, taken_in) = device.trial(&prepared.launch, prepared.x)?;
    let mut pairs: Vec<Pair> = (0..SMALL).filter_map(|from| pair(&taken_in, from)).collect();
    pairs.sort_by_key(|pair| (pair.round, pair.into));
    Ok(pairs)
}

/// An element does not change once it was added to another, so it still holds the sum as which it was added:
/// that of 1 element in the first round, 2 in the second, 4 in the third. Of all sums that contain it, the
/// smallest is the one to which it was added itself.
fn pair(taken_in: &[i32], from: usize) -> Option<Pair> {
    let set = taken_in[from];
    let holds = |&into: &usize| into != from && taken_in[into] & set == set;
    let into = (0..taken_in.len()).filter(holds).min_by_key(|&into| taken_in[into].count_ones())?;
    Some(Pair { round: set.count_ones().ilog2() as usize, into, from })
}
