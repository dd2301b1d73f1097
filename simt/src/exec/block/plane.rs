//! Registers that are linear in the lane and in the warp: three numbers for all threads of a block.
//!
//! The index of a thread is 32 more from warp to warp, as it is one more from lane to lane; so are the addresses made of it.
//! What such a register holds in lane `l` of warp `w` is `base + stride * l + hop * w`, modulo its width. What is not so is
//! given up: there is no answer here then.

use crate::compile::affine::{Affine, Span, holds};
use crate::isa::value::Linear;
use crate::machine::line::Line;

/// A register of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plane {
    /// What it is in warp 0.
    pub line: Line,
    /// How much more it is from warp to warp.
    pub hop: u64,
}

/// The threads that an instruction is for: some lanes of some warps, from the first of both to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The lanes.
    pub span: Span,
    /// How far they lie from each other: every lane, every second one.
    pub every_lane: u32,
    /// The first warp.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// How far they lie from each other.
    pub every: u32,
}

impl Plane {
    /// The register in a warp.
    #[inline(always)]
    pub fn of(self, warp: u32) -> Line {
        Line { base: self.line.base.wrapping_add(self.hop.wrapping_mul(u64::from(warp))), ..self.line }
    }

    /// The plane that has these values, the same for all lanes of a warp, in warps one after the other from `first` on.
    pub fn through(values: &[u64], first: u32) -> Option<Plane> {
        let hop = values.get(1).map_or(0, |next| next.wrapping_sub(values[0]));
        let base = values.first()?.wrapping_sub(hop.wrapping_mul(u64::from(first)));
        let plane = Plane { line: Line::uniform(base), hop };
        let mut warps = (first..).zip(values);
        warps.all(|(warp, &value)| plane.of(warp).base == value).then_some(plane)
    }
}

impl Affine for Plane {
    type Threads = Extent;

    fn uniform(value: u64) -> Plane {
        Plane { line: Line::uniform(value), hop: 0 }
    }

    fn value(self) -> Option<u64> {
        (self.line.stride == 0 && self.hop == 0).then_some(self.line.base)
    }

    fn add(self, other: Plane) -> Plane {
        Plane { line: self.line.add(other.line), hop: self.hop.wrapping_add(other.hop) }
    }

    fn subtract(self, other: Plane) -> Plane {
        Plane { line: self.line.subtract(other.line), hop: self.hop.wrapping_sub(other.hop) }
    }

    fn multiply(self, other: Plane) -> Option<Plane> {
        let (plane, factor) = match (self.value(), other.value()) {
            (_, Some(factor)) => (self, factor),
            (Some(factor), None) => (other, factor),
            (None, None) => return None,
        };
        let Line { base, stride } = plane.line;
        let line = Line { base: base.wrapping_mul(factor), stride: stride.wrapping_mul(factor) };
        Some(Plane { line, hop: plane.hop.wrapping_mul(factor) })
    }

    fn extend(self, signed: bool, threads: Extent) -> Option<Plane> {
        let Exact { first, step, hop } = exact(self, (false, signed), threads)?;
        let Extent { span, first: warp, .. } = threads;
        let base = first - step * i64::from(span.low) - hop * i64::from(warp);
        Some(Plane { line: Line { base: base as u64, stride: step as u64 }, hop: hop as u64 })
    }

    fn narrow(self) -> Plane {
        Plane { line: self.line.narrow(), hop: u64::from(self.hop as u32) }
    }
}

/// The value of a register in the first lane of the first warp, and its steps, as numbers and not modulo a width.
#[derive(Clone, Copy, Debug)]
struct Exact {
    first: i64,
    step: i64,
    hop: i64,
}

impl Exact {
    /// The values in the corners of an extent, the first one first.
    fn corners(self, extent: Extent) -> Option<[i64; 4]> {
        let over_lanes = self.step.checked_mul(i64::from(extent.span.high - extent.span.low))?;
        let over_warps = self.hop.checked_mul(i64::from(extent.last - extent.first))?;
        let (right, down) = (self.first.checked_add(over_lanes)?, self.first.checked_add(over_warps)?);
        Some([self.first, right, down, right.checked_add(over_warps)?])
    }
}

/// The largest number of 64 bits that is taken: sums and differences of two of these, and of their steps, fit.
const MOST: i64 = 1 << 60;

/// A register as numbers; `None` if some value does not fit it, or is too large for sums of two.
fn exact(plane: Plane, (wide, signed): (bool, bool), extent: Extent) -> Option<Exact> {
    let first = plane.of(extent.first).at(extent.span.low);
    let (first, step, hop) = match (wide, signed) {
        (true, _) => (first as i64, plane.line.stride as i64, plane.hop as i64),
        (false, true) => {
            (i64::from(first as i32), i64::from(plane.line.stride as i32), i64::from(plane.hop as i32))
        }
        (false, false) => {
            (i64::from(first as u32), i64::from(plane.line.stride as i32), i64::from(plane.hop as i32))
        }
    };
    // Of a single lane the step says nothing, nor the hop of a single warp: both may be anything.
    let step = if extent.span.low == extent.span.high { 0 } else { step };
    let hop = if extent.first == extent.last { 0 } else { hop };
    let range = match (wide, signed) {
        (false, true) => i64::from(i32::MIN)..=i64::from(i32::MAX),
        (false, false) => 0..=i64::from(u32::MAX),
        (true, true) => -MOST..=MOST,
        (true, false) => 0..=MOST,
    };
    let exact = Exact { first, step, hop };
    exact.corners(extent)?.iter().all(|corner| range.contains(corner)).then_some(exact)
}

/// Where a comparison holds.
#[derive(Clone, Copy, Debug)]
pub enum Holds {
    /// For all threads, or for none.
    Everywhere(bool),
    /// Where the difference of both sides is less than zero, or zero, or greater: what it is in the first lane of the first
    /// warp, how much more from lane to lane, and from warp to warp.
    By {
        /// In the first lane of the first warp.
        first: i64,
        /// More from lane to lane.
        step: i64,
        /// More from warp to warp.
        hop: i64,
    },
}

/// Where a comparison of two registers holds; `None` where there is no telling.
pub fn compare(linear: Linear, a: Plane, b: Plane, wide: bool, extent: Extent) -> Option<Holds> {
    let Linear::Compare { signed, less, equal, greater } = linear else { return None };
    if let (Some(a), Some(b)) = (a.value(), b.value()) {
        return Some(Holds::Everywhere(holds((signed, less, equal, greater), a, b, wide)));
    }
    let (a, b) = (exact(a, (wide, signed), extent)?, exact(b, (wide, signed), extent)?);
    let difference = Exact { first: a.first - b.first, step: a.step - b.step, hop: a.hop - b.hop };
    let corners = difference.corners(extent)?;
    if corners.iter().all(|&corner| corner < 0) {
        return Some(Holds::Everywhere(less));
    }
    if corners.iter().all(|&corner| corner > 0) {
        return Some(Holds::Everywhere(greater));
    }
    let Exact { first, step, hop } = difference;
    Some(Holds::By { first, step, hop })
}
