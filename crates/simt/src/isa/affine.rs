//! Arithmetic on registers that are affine in the place of a thread ([`crate::machine::affine`]).
//!
//! The result of an instruction is affine where its sources are, for sums, for products with a number that all threads of the
//! block share, and for conversions and comparisons in which no thread's value wraps. It is then computed once for the block.
//! The rule of an instruction is declared beside what it computes, in its family.

use super::value::Args;
use crate::machine::affine::{Affine, Grid};
use crate::machine::registers::{FULL_MASK, Registers, Shape, Slot, WARP_SIZE};

/// How the result follows from the sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// It does not.
    #[default]
    No,
    /// `a`, cut to the width of the result; from 64 bits if the flag says so.
    Copy {
        /// Whether `a` has 64 bits.
        from_wide: bool,
    },
    /// `-a`
    Negate,
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`, one of which all threads share.
    Multiply,
    /// `a * b + c`, where all threads share `a` or `b`.
    MultiplyAdd,
    /// `a << b`, where all threads share `b`.
    ShiftLeft,
    /// `a >> b`, where all threads share `b` and no step crosses a multiple of what is shifted out.
    ShiftRight {
        /// Whether `a` has a sign.
        signed: bool,
    },
    /// `a & b`, where all threads share `b`, one less than a power of two, and no row crosses a multiple of that power.
    And,
    /// `a`, extended from 32 to 64 bits.
    Widen {
        /// With its sign.
        signed: bool,
    },
    /// `a * b`, both extended from 32 to 64 bits before.
    MultiplyWide {
        /// With their signs.
        signed: bool,
    },
    /// `a * b + c`, `a` and `b` extended from 32 to 64 bits before.
    MultiplyWideAdd {
        /// With their signs.
        signed: bool,
    },
    /// A predicate: how `a` compares with `b`.
    Compare(Comparison),
}

/// A comparison of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Whether they have 64 bits.
    pub wide: bool,
    /// Whether they have signs.
    pub signed: bool,
    /// Whether it holds where `a` is less, where they are equal, and where `a` is greater.
    pub holds: [bool; 3],
}

/// The registers of a frame.
pub struct Operands<'r> {
    /// The registers of the block.
    pub registers: &'r Registers,
    /// Where those of the frame start.
    pub base: Shape,
}

impl Operands<'_> {
    /// The result of an instruction, where it is affine; `wide` is whether it has 64 bits.
    #[inline(always)]
    pub fn result(&self, rule: Rule, args: &Args, wide: bool) -> Option<Affine> {
        let grid = self.registers.grid();
        match rule {
            Rule::No | Rule::Compare(_) => None,
            Rule::Copy { from_wide } => self.source(args.a, from_wide).copied(),
            Rule::Negate => Some(Affine::default().minus(*self.source(args.a, wide)?)),
            Rule::Add => Some(self.source(args.a, wide)?.plus(*self.source(args.b, wide)?)),
            Rule::Subtract => Some(self.source(args.a, wide)?.minus(*self.source(args.b, wide)?)),
            Rule::Multiply => self.source(args.a, wide)?.times(*self.source(args.b, wide)?),
            Rule::MultiplyAdd => {
                let product = self.source(args.a, wide)?.times(*self.source(args.b, wide)?)?;
                Some(product.plus(*self.source(args.c, wide)?))
            }
            Rule::ShiftLeft => {
                let by = self.shared(args.b)?;
                let a = self.source(args.a, wide)?;
                Some(if by < if wide { 64 } else { 32 } { a.scaled(1 << by) } else { Affine::default() })
            }
            Rule::ShiftRight { signed } => {
                let by = self.shared(args.b)?;
                shifted_right(self.widened(args.a, signed)?, by, grid)
            }
            Rule::And => {
                let (a, b) = (self.source(args.a, wide)?, self.source(args.b, wide)?);
                masked(*a, *b, grid).or_else(|| masked(*b, *a, grid))
            }
            Rule::Widen { signed } => self.widened(args.a, signed),
            Rule::MultiplyWide { signed } => {
                self.widened(args.a, signed)?.times(self.widened(args.b, signed)?)
            }
            Rule::MultiplyWideAdd { signed } => {
                let product = self.widened(args.a, signed)?.times(self.widened(args.b, signed)?)?;
                Some(product.plus(*self.source(args.c, true)?))
            }
        }
    }

    #[inline(always)]
    fn source(&self, slot: Slot, wide: bool) -> Option<&Affine> {
        self.registers.affine(self.base, slot, wide)
    }

    /// What all threads share in a register of 32 bits.
    #[inline(always)]
    fn shared(&self, slot: Slot) -> Option<u64> {
        self.source(slot, false)?.as_uniform()
    }

    #[inline(always)]
    fn widened(&self, slot: Slot, signed: bool) -> Option<Affine> {
        self.source(slot, false)?.widened(signed, self.registers.grid())
    }

    /// By how much `a` is greater than `b` in each thread, if no value wraps.
    #[inline(always)]
    pub fn difference(&self, args: &Args, comparison: Comparison) -> Option<Affine> {
        let (Comparison { wide, signed, .. }, grid) = (comparison, self.registers.grid());
        let a = self.source(args.a, wide)?.exact(wide, signed, grid)?;
        Some(a.minus(self.source(args.b, wide)?.exact(wide, signed, grid)?))
    }
}

impl Comparison {
    /// What a comparison is in all threads between whose differences these are the least and the greatest, if it is the same.
    #[inline(always)]
    pub fn between(self, least: i64, most: i64) -> Option<bool> {
        let [less, equal, greater] = self.holds;
        match () {
            () if most < 0 => Some(less),
            () if least > 0 => Some(greater),
            () if least == 0 && most == 0 => Some(equal),
            () if most == 0 && less == equal => Some(less),
            () if least == 0 && greater == equal => Some(greater),
            () => None,
        }
    }

    /// The lanes of a warp for which it holds, from the difference.
    #[inline(always)]
    pub fn lanes(self, difference: Affine, warp: usize, grid: Grid) -> u32 {
        let (least, most) = difference.range_in_warp(warp, grid);
        match self.between(least, most) {
            Some(true) => FULL_MASK,
            Some(false) => 0,
            None => self.lanes_one_by_one(difference, warp, grid),
        }
    }

    #[inline(never)]
    fn lanes_one_by_one(self, difference: Affine, warp: usize, grid: Grid) -> u32 {
        let first = difference.of_warp(warp) as i64;
        let choose = |holds: bool, lanes: u32| if holds { lanes } else { 0 };
        if let Some(stride) = difference.stride(grid) {
            // The difference grows or falls from lane to lane, so the lanes below zero are the first or the last ones.
            let stride = stride as i64;
            let (below, up_to) = if stride > 0 {
                (lanes_before(-first, stride), lanes_before(1 - first, stride))
            } else {
                (!lanes_before(first + 1, -stride), !lanes_before(first, -stride))
            };
            let [less, equal, greater] = self.holds;
            return choose(less, below) | choose(equal, up_to & !below) | choose(greater, !up_to);
        }
        let outcomes = self.holds.map(u32::from);
        (0..WARP_SIZE).fold(0, |lanes, lane| {
            let difference = difference.lane(first as u64, lane, grid) as i64;
            lanes | outcomes[(difference.signum() + 1) as usize] << lane
        })
    }
}

/// The lanes whose number times a positive `stride` is less than `bound`.
fn lanes_before(bound: i64, stride: i64) -> u32 {
    match (bound + stride - 1) / stride {
        ..=0 => 0,
        count @ 1..32 => (1 << count) - 1,
        _ => FULL_MASK,
    }
}

/// `a >> by` of a number that does not wrap.
#[inline(always)]
fn shifted_right(a: Affine, by: u64, grid: Grid) -> Option<Affine> {
    if by >= 32 {
        return None;
    }
    let low = (1_u64 << by) - 1;
    // What is shifted out must come from the same steps in all rows and warps, and never carry.
    let (kept, lost) = parts(a, low);
    let fits = lost.range(grid).1 <= low as i64 && lost.range(grid).0 >= 0;
    let down = |value: u64| (value as i64 >> by) as u64;
    fits.then(|| Affine { base: down(kept.base), x: down(kept.x), y: down(kept.y), warp: down(kept.warp) })
}

/// `a & mask`, where the mask is one less than a power of two.
#[inline(always)]
fn masked(a: Affine, mask: Affine, grid: Grid) -> Option<Affine> {
    let mask = mask.as_uniform()?;
    if mask & mask.wrapping_add(1) != 0 {
        return None;
    }
    if a.as_uniform().is_some() {
        return Some(Affine::uniform(a.base & mask));
    }
    let (_, lost) = parts(a, mask);
    // A step of 64 bits may be so large that its multiples wrap.
    let (_, most) = lost.exact(true, false, grid)?.range(grid);
    (most as u64 <= mask).then_some(lost)
}

/// The multiples of a power of two in each step, and the rest; `low` is one less than the power.
#[inline(always)]
fn parts(a: Affine, low: u64) -> (Affine, Affine) {
    let each = |f: fn(u64, u64) -> u64| Affine {
        base: f(a.base, low),
        x: f(a.x, low),
        y: f(a.y, low),
        warp: f(a.warp, low),
    };
    (each(|step, low| step & !low), each(|step, low| step & low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_keeps_what_crosses_no_multiple_and_nothing_that_wraps() {
        let (grid, mask) = (Grid { warps: 8, ..Grid::default() }, |mask| Affine::uniform(mask));
        let index = Affine { x: 1, warp: 32, ..Affine::default() };
        assert_eq!(masked(index, mask(255), grid), Some(index));
        assert_eq!(masked(index, mask(31), grid), Some(Affine { warp: 0, ..index }));
        assert_eq!(masked(index, mask(15), grid), None);
        let hash = Affine { base: 6 << 60, x: 0x9e37_79b9_7f4a_7c15, ..Affine::default() };
        assert_eq!(masked(hash, mask(u64::MAX >> 1), Grid::default()), None);
    }
}
