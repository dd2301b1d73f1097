//! Lines in which most lanes of a warp do nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::kinds::{About, Advice, Idle, LEAST_SHARE, Shape, Why};
use super::observe::{Activity, Idleness, LANES, Observed};

/// The average number of active lanes up to which a line is worth a word.
const MOST_ACTIVE: f64 = 16.0;

/// The part of all lanes that is worth a word if nothing can be packed, or if a single lane is active: there is such a line at
/// the end of almost every kernel.
const LEAST_SHARE_OF_A_TAIL: f64 = 0.1;

impl Idle {
    fn is_worth_it(&self) -> bool {
        let is_tail = self.usual_mask.is_power_of_two() || self.shape == Shape::First;
        let is_split = self.why == Why::Elsewhere && self.usual_mask.count_ones() > 1 && self.average <= 16.0;
        self.share >= if is_tail && !is_split { LEAST_SHARE_OF_A_TAIL } else { LEAST_SHARE }
    }
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
            shape: shape(&lines),
        };
        about.is_worth_it().then(|| Advice { site: lines[0].site.clone(), about: About::Idle(about) })
    });
    pieces.collect()
}

fn shape(lines: &[&Activity]) -> Shape {
    let masks: BTreeSet<u32> = lines.iter().flat_map(|line| line.masks.keys().copied()).collect();
    let idle: u64 = lines.iter().flat_map(|line| line.masks.values()).sum();
    let is_single = 2 * lines.iter().map(|line| idle_beside_one(line)).sum::<u64>() > idle;
    match () {
        () if is_single && !is_mostly_one(lines) => Shape::Turns,
        () if lines.iter().any(|line| fits_fewer_warps(line)) => Shape::FewerWarps,
        () if is_single => Shape::Single,
        () if masks.iter().all(|mask| mask.wrapping_add(1).is_power_of_two()) => Shape::First,
        () => Shape::Other,
    }
}

/// Whether it is the same lane in most of the instructions that a single lane executes.
fn is_mostly_one(lines: &[&Activity]) -> bool {
    let mut singles: BTreeMap<u32, u64> = BTreeMap::new();
    for (mask, idle) in lines.iter().flat_map(|line| &line.masks).filter(|(mask, _)| mask.is_power_of_two()) {
        *singles.entry(*mask).or_default() += idle;
    }
    let most = singles.values().max().copied().unwrap_or_default();
    4 * most > 3 * singles.values().sum::<u64>()
}

/// Whether the lanes of several warps of a block would fit into fewer.
fn fits_fewer_warps(line: &Activity) -> bool {
    let lanes: u32 = line.used.values().map(|lanes| lanes.count_ones()).sum();
    (lanes as usize).div_ceil(LANES) < line.used.len()
}

fn why(line: &Activity) -> Why {
    let Idleness { absent, ended, elsewhere, guarded } = line.idle;
    let reasons =
        [(Why::Absent, absent), (Why::Ended, ended), (Why::Elsewhere, elsewhere), (Why::Guarded, guarded)];
    reasons.into_iter().max_by_key(|(_, lanes)| *lanes).map_or(Why::Elsewhere, |(why, _)| why)
}

/// How many lanes were idle while a single one was active.
fn idle_beside_one(line: &Activity) -> u64 {
    line.masks.iter().filter(|(mask, _)| mask.is_power_of_two()).map(|(_, idle)| idle).sum()
}

fn usual_mask(line: &Activity) -> u32 {
    line.masks.iter().max_by_key(|(mask, count)| (**count, **mask)).map_or(0, |(mask, _)| *mask)
}
