//! Whether the warps of a block keep apart between two barriers: no byte that one of them writes is touched by another.
//!
//! If so, it does not matter which of them goes first, and running all of them in lock step comes to what their turns would
//! have come to. It is asked of each access before it is carried out, about all that were since the last barrier, and told
//! from the numbers that addresses are made of; where these do not show it, the answer is no.

use super::plane::Extent;

/// Accesses of one kind that are kept as they were; older ones are kept as the bytes from their first to their last.
const RECENT: usize = 8;

/// Where an instruction touches memory: `stride` bytes from lane to lane, `hop` from each warp to the next one that takes
/// part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The first byte that a lane of the first warp touches.
    low: i64,
    /// One past the last.
    high: i64,
    stride: i64,
    hop: i64,
    /// Bytes of an element.
    bytes: i64,
    /// The first byte that any warp touches, and one past the last.
    range: (i64, i64),
    /// The first warp, the last, and how far they lie from each other: others between them may not take part.
    warps: (u32, u32, u32),
}

impl Touch {
    /// The accesses of `bytes` bytes whose address is `base` in lane 0 of warp 0, `stride` more from lane to lane and `hop`
    /// from warp to warp; `None` where these numbers are too large.
    pub fn new(base: i64, (stride, hop): (i64, i64), bytes: u64, extent: Extent) -> Option<Touch> {
        let Extent { span, first, last, every } = extent;
        let base = hop.checked_mul(i64::from(first))?.checked_add(base)?;
        let at = |lane: u32| stride.checked_mul(i64::from(lane))?.checked_add(base);
        let (one, other) = (at(span.low)?, at(span.high)?);
        let bytes = bytes as i64;
        let (low, high) = (one.min(other), one.max(other).checked_add(bytes)?);
        let whole = hop.checked_mul(i64::from(last - first))?;
        let range = (low.checked_add(whole.min(0))?, high.checked_add(whole.max(0))?);
        // Of a single lane the step says nothing, nor the hop of a single warp.
        let stride = if span.low == span.high { 0 } else { stride };
        let hop = if first == last { 0 } else { hop.checked_mul(i64::from(every))? };
        Some(Touch { low, high, stride, hop, bytes, range, warps: (first, last, every) })
    }

    /// Whether no two warps touch the same byte, one by this and the other by that.
    fn is_apart_from(&self, other: &Touch) -> bool {
        if self.range.1 <= other.range.0 || other.range.1 <= self.range.0 {
            return true;
        }
        let is_one_warp = |touch: &Touch| touch.warps.0 == touch.warps.1;
        if is_one_warp(self) && is_one_warp(other) && self.warps.0 == other.warps.0 {
            return true;
        }
        // Each warp has a stretch to itself.
        let stretch = self.high.max(other.high) - self.low.min(other.low);
        let are_alike = self.hop == other.hop && self.warps.0 == other.warps.0 && self.warps.2 == other.warps.2;
        if are_alike && stretch.unsigned_abs() <= self.hop.unsigned_abs() {
            return true;
        }
        // All elements lie in a grid of this width, the others' between them.
        let steps = self.stride | self.hop | other.stride | other.hop;
        if steps == 0 {
            return false;
        }
        let width = 1_i64.wrapping_shl(steps.trailing_zeros().min(62));
        let between = (other.low - self.low).rem_euclid(width);
        between >= self.bytes && width - between >= other.bytes
    }
}

/// What was read, or what was written.
#[derive(Debug, Default)]
struct Touches {
    recent: Vec<Touch>,
    /// Of older ones, by allocation: the first byte, and one past the last.
    past: Vec<(i64, i64)>,
}

impl Touches {
    fn are_apart_from(&self, touch: &Touch) -> bool {
        let (start, end) = touch.range;
        self.past.iter().all(|&(from, to)| end <= from || to <= start)
            && self.recent.iter().all(|other| other.is_apart_from(touch))
    }

    fn add(&mut self, touch: Touch, region_shift: u32) {
        if self.recent.last() == Some(&touch) {
            return;
        }
        if self.recent.len() == RECENT {
            let (start, end) = self.recent.remove(0).range;
            let known = self.past.iter_mut().find(|(from, _)| *from >> region_shift == start >> region_shift);
            match known {
                Some(past) => *past = (past.0.min(start), past.1.max(end)),
                None => self.past.push((start, end)),
            }
        }
        self.recent.push(touch);
    }

    fn clear(&mut self) {
        self.recent.clear();
        self.past.clear();
    }
}

/// What the warps of a block have touched of a memory since the last barrier.
#[derive(Debug)]
pub struct Apart {
    read: Touches,
    written: Touches,
    /// Addresses that agree above this bit lie in the same allocation.
    region_shift: u32,
}

impl Apart {
    /// Nothing so far.
    pub fn new(region_shift: u32) -> Apart {
        Apart { read: Touches::default(), written: Touches::default(), region_shift }
    }

    /// Adds reads; whether the warps still keep apart.
    pub fn read(&mut self, touch: Touch) -> bool {
        let is_apart = self.written.are_apart_from(&touch);
        self.read.add(touch, self.region_shift);
        is_apart
    }

    /// Adds writes; whether the warps still keep apart.
    pub fn write(&mut self, touch: Touch) -> bool {
        let is_apart = touch.is_apart_from(&touch)
            && self.written.are_apart_from(&touch)
            && self.read.are_apart_from(&touch);
        self.written.add(touch, self.region_shift);
        is_apart
    }

    /// A barrier: what comes then comes after all of that.
    pub fn clear(&mut self) {
        self.read.clear();
        self.written.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::swift::arithmetic::Span;
    use std::collections::BTreeMap;

    fn extent(first: u32, last: u32) -> Extent {
        Extent { span: Span { low: 0, high: 31 }, first, last, every: 1 }
    }

    #[test]
    fn a_tree_in_place_keeps_its_warps_apart() {
        let mut apart = Apart::new(40);
        let half = |base| Touch::new(base, (4, 128), 4, extent(0, 15)).unwrap();
        assert!(apart.read(half(0)) && apart.read(half(4 * 512)) && apart.write(half(0)));
        assert!(!apart.write(half(4)), "the neighbour's element belongs to the next warp for lane 31");
        apart.clear();
        assert!(apart.write(half(4)));
    }

    #[test]
    fn a_loop_over_a_grid_keeps_its_warps_apart() {
        let mut apart = Apart::new(40);
        for round in 0..100 {
            let row = Touch::new(round * 65536, (4, 128), 4, extent(0, 31)).unwrap();
            assert!(apart.read(row) && apart.write(row), "round {round}");
        }
        let again = Touch::new(0, (4, 128), 4, extent(0, 31)).unwrap();
        assert!(!apart.read(again), "nobody knows any more who wrote these");
    }

    /// The bytes that each warp touches.
    fn bytes(touch: &Touch, (low, high): (u32, u32)) -> BTreeMap<i64, u64> {
        let mut by = BTreeMap::new();
        let from = if touch.stride < 0 { i64::from(high) } else { i64::from(low) };
        let (first, last, every) = touch.warps;
        for (number, warp) in (first..=last).step_by(every as usize).enumerate() {
            for lane in low..=high {
                let at = touch.low + touch.stride * (i64::from(lane) - from) + touch.hop * number as i64;
                (at..at + touch.bytes).for_each(|byte| *by.entry(byte).or_default() |= 1 << warp);
            }
        }
        by
    }

    #[test]
    fn what_is_apart_has_no_byte_of_two_warps() {
        let (lanes, mut random, mut found) = ((0, 7), 1_u64, [0, 0]);
        let mut draw = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        for _ in 0..20_000 {
            let mut touch = || {
                let (first, every) = (draw(3) as u32, 1 + draw(2) as u32);
                let (span, last) = (Span { low: lanes.0, high: lanes.1 }, first + every * draw(3) as u32);
                let extent = Extent { span, first, last, every };
                let steps = [0, 4, 8, -4, 16, 12, 32, 64, -32, 128];
                let (stride, hop) = (steps[draw(7) as usize], steps[draw(10) as usize]);
                Touch::new(4096 + 4 * draw(40) as i64, (stride, hop), 4 << draw(2), extent).unwrap()
            };
            let (one, other) = (touch(), touch());
            let (in_one, in_other) = (bytes(&one, lanes), bytes(&other, lanes));
            let shared = in_one.iter().any(|(byte, warps)| {
                in_other.get(byte).is_some_and(|others| (warps | others).count_ones() > 1)
            });
            let is_apart = one.is_apart_from(&other);
            assert!(!is_apart || !shared, "{one:?} {other:?}");
            assert_eq!(is_apart, other.is_apart_from(&one), "{one:?} {other:?}");
            found[usize::from(is_apart)] += 1;
        }
        assert!(found.iter().all(|&count| count > 1000), "{found:?}");
    }
}
