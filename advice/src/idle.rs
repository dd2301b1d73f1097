//! Lines in which most lanes of a warp do nothing.

use std::collections::BTreeMap;

use crate::observe::{Activity, Idleness, LANES, Observed};
use crate::{About, Advice, LEAST_SHARE};

/// The average number of active lanes up to which a line is worth a word.
const MOST_ACTIVE: f64 = 16.0;

/// Lines in which most lanes are idle.
#[derive(Clone, Debug)]
pub struct Idle {
    /// The instructions of the lines that were issued.
    pub instructions: u64,
    /// The CUDA lines that have the same lanes idle for the same reason, the first of them that of the advice.
    pub lines: Vec<u32>,
    /// The average number of lanes that were idle.
    pub average: f64,
    /// The part of the lanes of all instructions that are idle in these lines, from 0 to 1.
    pub share: f64,
    /// Why most of them were.
    pub why: Why,
    /// The mask of active lanes that occurred most often.
    pub usual_mask: u32,
}

/// Why a lane is idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The block has no such thread.
    Absent,
    /// The thread has ended.
    Ended,
    /// The thread has taken another way at a branch.
    Elsewhere,
    /// The guard of the instruction is false.
    Guarded,
}

/// Finds the lines, and combines those in which the same lanes are idle for the same reason.
pub(crate) fn advice(observed: &Observed) -> Vec<Advice> {
    let slots: u64 = observed.lines.values().map(|line| line.instructions * LANES as u64).sum();
    let mut found: BTreeMap<(Option<&str>, Why, u32), Vec<&Activity>> = BTreeMap::new();
    for line in observed.lines.values() {
        let is_idle = line.active as f64 <= MOST_ACTIVE * line.instructions as f64;
        if is_idle {
            let file = line.site.source.as_ref().map(|source| source.file.as_str());
            found.entry((file, why(line), usual_mask(line))).or_default().push(line);
        }
    }
    let pieces = found.into_iter().filter_map(|((_, why, usual_mask), lines)| {
        let instructions: u64 = lines.iter().map(|line| line.instructions).sum();
        let idle = instructions * LANES as u64 - lines.iter().map(|line| line.active).sum::<u64>();
        let share = idle as f64 / slots as f64;
        let numbers = lines.iter().filter_map(|line| Some(line.site.source.as_ref()?.line)).collect();
        let about = Idle {
            instructions,
            lines: numbers,
            average: idle as f64 / instructions as f64,
            share,
            why,
            usual_mask,
        };
        (share >= LEAST_SHARE).then(|| Advice { site: lines[0].site.clone(), about: About::Idle(about) })
    });
    pieces.collect()
}

fn why(line: &Activity) -> Why {
    let Idleness { absent, ended, elsewhere, guarded } = line.idle;
    let reasons =
        [(Why::Absent, absent), (Why::Ended, ended), (Why::Elsewhere, elsewhere), (Why::Guarded, guarded)];
    reasons.into_iter().max_by_key(|(_, lanes)| *lanes).map_or(Why::Elsewhere, |(why, _)| why)
}

fn usual_mask(line: &Activity) -> u32 {
    line.masks.iter().max_by_key(|(mask, count)| (**count, **mask)).map_or(0, |(mask, _)| *mask)
}
