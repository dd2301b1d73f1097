//! Whether the warps of a block keep apart between two barriers: no byte that one of them writes is touched by another.
//!
//! If so, it does not matter which of them goes first, and running all of them in lock step comes to what their turns would
//! have come to. Where not only warps but threads keep apart, there is no race either, and no store that somebody might see
//! too late. It is asked of each access before it is carried out, about all that were since the last barrier, and told from
//! the numbers that addresses are made of; where these do not show it, the answer is no.

use crate::exec::block::plane::Extent;
use crate::machine::global::REGION_SHIFT;

/// Accesses of one kind that are kept as they were; older ones are kept as the bytes from their first to their last.
const RECENT: usize = 8;

/// Who must keep apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Warps; the lanes of one do everything in order.
    Warps,
    /// All threads.
    Threads,
}

/// Numbers from a first one to a last one, at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    first: u32,
    last: u32,
    every: u32,
}

impl Numbers {
    fn is_one(self) -> bool {
        self.first == self.last
    }

    /// Whether the numbers of both are counted alike.
    fn goes_like(self, other: Numbers) -> bool {
        self.first == other.first && self.every == other.every
    }
}

/// Where an instruction touches memory: `stride` bytes from each lane to the next one that takes part, `hop` from warp to
/// warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The first byte of the first lane of the first warp.
    at: i64,
    /// The first byte that any lane of the first warp touches, and one past the last.
    row: (i64, i64),
    /// The first byte that anybody touches, and one past the last.
    all: (i64, i64),
    stride: i64,
    hop: i64,
    /// Bytes of an element.
    bytes: i64,
    lanes: Numbers,
    warps: Numbers,
}

impl Touch {
    /// The accesses of `bytes` bytes whose address is `base` in lane 0 of warp 0, `stride` more from lane to lane and `hop`
    /// from warp to warp; `None` where these numbers are too large.
    pub fn new(base: i64, (stride, hop): (i64, i64), bytes: u64, extent: Extent) -> Option<Touch> {
        let Extent { span, every_lane, first, last, every } = extent;
        let lanes = Numbers { first: span.low, last: span.high, every: every_lane };
        let warps = Numbers { first, last, every };
        let times = |step: i64, count: u32| step.checked_mul(i64::from(count));
        let at = base.checked_add(times(hop, first)?)?.checked_add(times(stride, span.low)?)?;
        let (over_lanes, over_warps) = (times(stride, span.high - span.low)?, times(hop, last - first)?);
        let widened = |(from, to): (i64, i64), by: i64| {
            Some((from.checked_add(by.min(0))?, to.checked_add(by.max(0))?))
        };
        let row = widened((at, at.checked_add(bytes as i64)?), over_lanes)?;
        let all = widened(row, over_warps)?;
        // Of a single lane the step says nothing, nor the hop of a single warp.
        let stride = if lanes.is_one() { 0 } else { times(stride, every_lane)? };
        let hop = if warps.is_one() { 0 } else { times(hop, every)? };
        Some(Touch { at, row, all, stride, hop, bytes: bytes as i64, lanes, warps })
    }

    /// Accesses somewhere between two addresses.
    pub fn anywhere(low: u64, end: u64, extent: Extent) -> Option<Touch> {
        Touch::new(i64::try_from(low).ok()?, (0, 0), end.checked_sub(low)?, extent)
    }

    /// Whether no byte is touched twice, by this and by that, unless the same one of `who` does both.
    fn is_apart_from(&self, other: &Touch, who: Who) -> bool {
        if self.all.1 <= other.all.0 || other.all.1 <= self.all.0 {
            return true;
        }
        // Either each warp has a stretch to itself, or there is but one; and so for lanes.
        let one_warp = self.warps.is_one() && other.warps.is_one() && self.warps.first == other.warps.first;
        let own_stretch = self.hop == other.hop
            && self.warps.goes_like(other.warps)
            && common(self.row, other.row) <= self.hop.unsigned_abs();
        let one_lane = self.lanes.is_one() && other.lanes.is_one() && self.lanes.first == other.lanes.first;
        let element = |touch: &Touch| (touch.at, touch.at + touch.bytes);
        let own_elements = self.stride == other.stride
            && self.lanes.goes_like(other.lanes)
            && common(element(self), element(other)) <= self.stride.unsigned_abs();
        let own_lanes = who == Who::Warps || one_lane || own_elements;
        if (one_warp || own_stretch) && own_lanes {
            return true;
        }
        // All elements lie in a grid of this width, the others' between them.
        let steps = self.stride | self.hop | other.stride | other.hop;
        if steps == 0 {
            return false;
        }
        let width = 1_i64.wrapping_shl(steps.trailing_zeros().min(62));
        let between = (other.at - self.at).rem_euclid(width);
        between >= self.bytes && width - between >= other.bytes
    }
}

/// Bytes from the first of two stretches to the end of the last.
fn common(one: (i64, i64), other: (i64, i64)) -> u64 {
    one.1.max(other.1).abs_diff(one.0.min(other.0))
}

/// Bytes of several allocations: of each the first one, and one past the last.
#[derive(Debug, Default)]
struct Hulls(Vec<(i64, i64)>);

impl Hulls {
    fn add(&mut self, (start, end): (i64, i64)) {
        let is_same = |&&mut (from, _): &&mut (i64, i64)| from >> REGION_SHIFT == start >> REGION_SHIFT;
        match self.0.iter_mut().find(is_same) {
            Some(hull) => *hull = (hull.0.min(start), hull.1.max(end)),
            None => self.0.push((start, end)),
        }
    }

    fn is_apart_from(&self, (start, end): (i64, i64)) -> bool {
        self.0.iter().all(|&(from, to)| end <= from || to <= start)
    }
}

/// What was read, or what was written.
#[derive(Debug, Default)]
struct Touches {
    recent: Vec<Touch>,
    /// What older ones touched.
    past: Hulls,
}

impl Touches {
    fn are_apart_from(&self, touch: &Touch, who: Who) -> bool {
        self.past.is_apart_from(touch.all) && self.recent.iter().all(|other| other.is_apart_from(touch, who))
    }

    fn add(&mut self, touch: Touch) {
        if self.recent.last() == Some(&touch) {
            return;
        }
        if self.recent.len() == RECENT {
            self.past.add(self.recent.remove(0).all);
        }
        self.recent.push(touch);
    }

    fn clear(&mut self) {
        self.recent.clear();
        self.past.0.clear();
    }
}

/// What the threads of a block have touched of a memory since the last barrier.
#[derive(Debug)]
pub struct Apart {
    who: Who,
    read: Touches,
    written: Touches,
    /// What they have read since they began that must not be written before the launch ends.
    promised: Hulls,
    /// What they have written since they began.
    ever_written: Hulls,
}

impl Apart {
    /// Nothing so far.
    pub fn new(who: Who) -> Apart {
        let [read, written] = [(); 2].map(|()| Touches::default());
        Apart { who, read, written, promised: Hulls::default(), ever_written: Hulls::default() }
    }

    /// Adds reads; whether all still keep apart.
    pub fn read(&mut self, touch: Touch, is_promised: bool) -> bool {
        if is_promised && self.who == Who::Threads {
            self.promised.add(touch.all);
            return self.ever_written.is_apart_from(touch.all);
        }
        let is_apart = self.written.are_apart_from(&touch, self.who);
        self.read.add(touch);
        is_apart
    }

    /// Adds writes; whether all still keep apart.
    pub fn write(&mut self, touch: Touch) -> bool {
        touch.is_apart_from(&touch, self.who) && self.write_apart(touch)
    }

    /// Adds writes that keep apart from each other; whether all still do.
    pub fn write_apart(&mut self, touch: Touch) -> bool {
        let is_apart = self.written.are_apart_from(&touch, self.who)
            && self.read.are_apart_from(&touch, self.who)
            && self.promised.is_apart_from(touch.all);
        self.written.add(touch);
        if self.who == Who::Threads {
            self.ever_written.add(touch.all);
        }
        is_apart
    }

    /// A barrier: what comes then comes after all of that.
    pub fn clear(&mut self) {
        self.read.clear();
        self.written.clear();
    }

    /// Another block.
    pub fn restart(&mut self) {
        self.clear();
        self.promised.0.clear();
        self.ever_written.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::affine::Span;
    use std::collections::{BTreeMap, BTreeSet};

    fn extent(first: u32, last: u32) -> Extent {
        Extent { span: Span { low: 0, high: 31 }, every_lane: 1, first, last, every: 1 }
    }

    #[test]
    fn a_tree_in_place_keeps_its_threads_apart() {
        let mut apart = Apart::new(Who::Threads);
        let half = |base| Touch::new(base, (4, 128), 4, extent(0, 15)).unwrap();
        assert!(apart.read(half(0), false) && apart.read(half(4 * 512), false) && apart.write(half(0)));
        assert!(!apart.write(half(4)), "the neighbour's element belongs to the next warp for lane 31");
        apart.clear();
        assert!(apart.write(half(4)));
    }

    #[test]
    fn a_loop_over_a_grid_keeps_its_threads_apart() {
        let mut apart = Apart::new(Who::Threads);
        for round in 0..100 {
            let row = Touch::new(round * 65536, (4, 128), 4, extent(0, 31)).unwrap();
            assert!(apart.read(row, false) && apart.write(row), "round {round}");
        }
        let again = Touch::new(0, (4, 128), 4, extent(0, 31)).unwrap();
        assert!(!apart.read(again, false), "nobody knows any more who wrote these");
    }

    #[test]
    fn what_must_not_be_written_is_asked_about_across_barriers() {
        let row = Touch::new(0, (4, 128), 4, extent(0, 31)).unwrap();
        let mut apart = Apart::new(Who::Threads);
        assert!(apart.read(row, true));
        apart.clear();
        assert!(!apart.write(row));
        apart.restart();
        assert!(apart.write(row));
        apart.clear();
        assert!(!apart.read(row, true));
    }

    #[test]
    fn the_lanes_of_a_warp_are_apart_only_as_threads() {
        let warp = extent(3, 3);
        let own = Touch::new(0, (4, 128), 4, warp).unwrap();
        let next = Touch::new(4, (4, 128), 4, warp).unwrap();
        assert!(own.is_apart_from(&next, Who::Warps) && !own.is_apart_from(&next, Who::Threads));
        assert!(own.is_apart_from(&own, Who::Threads));
    }

    /// Who touches which byte: a set of threads, 16 lanes a warp.
    fn bytes(touch: &Touch) -> BTreeMap<i64, BTreeSet<(u32, u32)>> {
        let mut by: BTreeMap<i64, BTreeSet<(u32, u32)>> = BTreeMap::new();
        let each = |some: Numbers| (some.first..=some.last).step_by(some.every as usize).enumerate();
        for (row, warp) in each(touch.warps) {
            for (place, lane) in each(touch.lanes) {
                let at = touch.at + touch.stride * place as i64 + touch.hop * row as i64;
                for byte in at..at + touch.bytes {
                    by.entry(byte).or_default().insert((warp, lane));
                }
            }
        }
        by
    }

    #[test]
    fn what_is_apart_has_no_byte_of_two() {
        let (mut random, mut found) = (1_u64, [0, 0]);
        let mut draw = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((random >> 33) % below) as u32
        };
        for _ in 0..20_000 {
            let mut touch = || {
                let (first, every, low, every_lane) = (draw(3), 1 + draw(2), draw(3), 1 + draw(3));
                let (last, high) = (first + every * draw(3), low + every_lane * draw(4));
                let extent = Extent { span: Span { low, high }, every_lane, first, last, every };
                let steps = [0, 4, 8, -4, 16, 12, 32, 64, -32, 128];
                let (stride, hop) = (steps[draw(7) as usize], steps[draw(10) as usize]);
                Touch::new(4096 + 4 * i64::from(draw(40)), (stride, hop), 4 << draw(2), extent).unwrap()
            };
            let (one, other) = (touch(), touch());
            let (in_one, in_other) = (bytes(&one), bytes(&other));
            for who in [Who::Warps, Who::Threads] {
                let are_two = |(one, other): (&(u32, u32), &(u32, u32))| match who {
                    Who::Warps => one.0 != other.0,
                    Who::Threads => one != other,
                };
                let is_shared = in_one.iter().any(|(byte, threads)| {
                    let others = in_other.get(byte).into_iter().flatten();
                    others.flat_map(|other| threads.iter().map(move |one| (one, other))).any(are_two)
                });
                let is_apart = one.is_apart_from(&other, who);
                assert!(!is_apart || !is_shared, "{who:?} {one:?} {other:?}");
                assert_eq!(is_apart, other.is_apart_from(&one, who), "{who:?} {one:?} {other:?}");
                found[usize::from(is_apart)] += 1;
            }
        }
        assert!(found.iter().all(|&count| count > 1000), "{found:?}");
    }
}
