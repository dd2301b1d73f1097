//! Arithmetic on registers that are linear in the lane: the two numbers of the result from those of the sources. The same
//! formulas hold for whole blocks, whose registers are linear in the warp as well ([`crate::exec::block`]).
//!
//! Sums, differences and products with what is uniform are linear modulo the width of the register whatever wraps. What
//! extends or compares is so only as long as nothing wraps between the lowest and the highest active lane; where it does,
//! there is no answer here, and the plain loop carries the instruction out.

use crate::isa::value::Linear;
use crate::machine::line::Line;

/// The active lanes, from the lowest to the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The lowest.
    pub low: u32,
    /// The highest.
    pub high: u32,
}

impl Span {
    /// Its lanes, one bit a lane.
    #[inline(always)]
    pub fn mask(self) -> u32 {
        u32::MAX >> (31 - (self.high - self.low)) << self.low
    }

    /// The span of a mask; anything where that is empty.
    #[inline(always)]
    pub fn of(mask: u32) -> Span {
        Span { low: mask.trailing_zeros() % 32, high: 31 - mask.leading_zeros() % 32 }
    }
}

/// What an instruction computes: `x * y + z`, with parts left out. A set of parts and not a `match` over instructions, which
/// would be a jump to a place that the processor has to guess; whether there is a part, it learns.
#[derive(Clone, Copy, Debug)]
pub struct Formula(u16);

/// `x` and `y` are extended from 32 to 64 bits before.
const WIDENS: u16 = 1;
/// That goes by their signs; so does the shift to the right.
const SIGNED: u16 = 1 << 1;
/// There is a factor `y`.
const FACTOR: u16 = 1 << 2;
/// There is a term `z`.
const TERM: u16 = 1 << 3;
/// `z` is subtracted.
const MINUS: u16 = 1 << 4;
/// `y` says how far to shift to the left instead.
const SHIFTS_LEFT: u16 = 1 << 5;
/// `y` says how far to shift to the right; both are uniform.
const SHIFTS_RIGHT: u16 = 1 << 6;
/// The sign of all is turned.
const NEGATES: u16 = 1 << 7;
/// Registers have 64 bits.
const WIDE: u16 = 1 << 8;

impl Formula {
    /// The formula of an instruction, and which of its sources `a`, `b` and `c` are `x`, `y` and `z`; `None` for what no
    /// formula says.
    pub fn of(linear: Linear, wide: bool) -> Option<(Formula, [usize; 3])> {
        let sign = |signed: bool| if signed { SIGNED } else { 0 };
        let in_order = [0, 1, 2];
        let (parts, from) = match linear {
            Linear::Copy => (0, in_order),
            Linear::Negate => (NEGATES, in_order),
            Linear::Add => (TERM, [0, 0, 1]),
            Linear::Subtract => (TERM | MINUS, [0, 0, 1]),
            Linear::Multiply => (FACTOR, in_order),
            Linear::MultiplyAdd => (FACTOR | TERM, in_order),
            Linear::ShiftLeft => (SHIFTS_LEFT, in_order),
            Linear::ShiftRight { signed } => (SHIFTS_RIGHT | sign(signed), in_order),
            Linear::Widen { signed } => (WIDENS | sign(signed), in_order),
            Linear::MultiplyWide { signed } => (FACTOR | WIDENS | sign(signed), in_order),
            Linear::MultiplyWideAdd { signed } => (FACTOR | TERM | WIDENS | sign(signed), in_order),
            Linear::No | Linear::Logic { .. } | Linear::Compare { .. } => return None,
        };
        Some((Formula(parts | if wide { WIDE } else { 0 }), from))
    }

    #[inline(always)]
    const fn has(self, part: u16) -> bool {
        self.0 & part != 0
    }

    /// The result; `None` where it is not linear for all threads that are meant.
    #[inline(always)]
    pub fn compute<A: Affine>(self, [mut x, mut y, z]: [A; 3], threads: A::Threads) -> Option<A> {
        if self.has(WIDENS) {
            x = x.extend(self.has(SIGNED), threads)?;
            if self.has(FACTOR) {
                y = y.extend(self.has(SIGNED), threads)?;
            }
        }
        if self.has(FACTOR) {
            x = x.multiply(y)?;
        }
        if self.has(TERM) {
            x = if self.has(MINUS) { x.subtract(z) } else { x.add(z) };
        }
        if self.has(SHIFTS_LEFT | SHIFTS_RIGHT | NEGATES) {
            x = self.shift_or_negate(x, y)?;
        }
        Some(if self.has(WIDE) { x } else { x.narrow() })
    }

    fn shift_or_negate<A: Affine>(self, x: A, y: A) -> Option<A> {
        if self.has(NEGATES) {
            return Some(A::uniform(0).subtract(x));
        }
        let (width, count) = (if self.has(WIDE) { 64 } else { 32 }, y.value()?);
        if self.has(SHIFTS_LEFT) {
            return if count < width { x.multiply(A::uniform(1 << count)) } else { Some(A::uniform(0)) };
        }
        let (x, shift) = (x.value()?, count.min(width - 1) as u32);
        Some(A::uniform(match (self.has(SIGNED), self.has(WIDE)) {
            (true, true) => (x as i64 >> shift) as u64,
            (true, false) => (x as i32 >> shift) as u64,
            (false, _) if count >= width => 0,
            (false, _) => x >> shift,
        }))
    }
}

/// A register that is kept as a few numbers, modulo 2^64, from which its value in each thread is a sum of products.
pub trait Affine: Copy {
    /// The threads that an instruction is for.
    type Threads: Copy;

    /// The same value in all threads.
    fn uniform(value: u64) -> Self;
    /// That value; `None` where it is not the same in all.
    fn value(self) -> Option<u64>;
    /// The sum.
    fn add(self, other: Self) -> Self;
    /// The difference.
    fn subtract(self, other: Self) -> Self;
    /// The product; `None` where no factor is uniform.
    fn multiply(self, other: Self) -> Option<Self>;
    /// A register of 32 bits as one of 64, with its sign or without; `None` where it wraps somewhere.
    fn extend(self, signed: bool, threads: Self::Threads) -> Option<Self>;
    /// Modulo 2^32.
    fn narrow(self) -> Self;
}

/// Over the lanes of a warp. Which registers are uniform is known before ([`crate::compile::shapes`]), and not asked again.
impl Affine for Line {
    type Threads = Span;

    #[inline(always)]
    fn uniform(value: u64) -> Line {
        Line::uniform(value)
    }

    #[inline(always)]
    fn value(self) -> Option<u64> {
        Some(self.base)
    }

    #[inline(always)]
    fn add(self, other: Line) -> Line {
        let stride = self.stride.wrapping_add(other.stride);
        Line { base: self.base.wrapping_add(other.base), stride }
    }

    #[inline(always)]
    fn subtract(self, other: Line) -> Line {
        let stride = self.stride.wrapping_sub(other.stride);
        Line { base: self.base.wrapping_sub(other.base), stride }
    }

    #[inline(always)]
    fn multiply(self, other: Line) -> Option<Line> {
        let stride = self.stride.wrapping_mul(other.base).wrapping_add(self.base.wrapping_mul(other.stride));
        Some(Line { base: self.base.wrapping_mul(other.base), stride })
    }

    #[inline(always)]
    fn extend(self, signed: bool, span: Span) -> Option<Line> {
        let (first, step) = exact(self, false, signed, span)?;
        let base = first.wrapping_sub(step.wrapping_mul(i64::from(span.low)));
        Some(Line { base: base as u64, stride: step as u64 })
    }

    #[inline(always)]
    fn narrow(self) -> Line {
        Line::narrow(self)
    }
}

/// The value in the lowest lane of a span and the step from lane to lane, as numbers and not modulo a width: `None` if
/// some value on the way does not fit the register, or is too large for sums of two.
fn exact(line: Line, wide: bool, signed: bool, span: Span) -> Option<(i64, i64)> {
    let first = line.at(span.low);
    let (first, step, least, most) = match (wide, signed) {
        (false, true) => {
            (i64::from(first as i32), line.stride as i32, i64::from(i32::MIN), i64::from(i32::MAX))
        }
        (false, false) => (i64::from(first as u32), line.stride as i32, 0, i64::from(u32::MAX)),
        (true, _) => return exact_wide(first, line.stride as i64, signed, span),
    };
    let step = i64::from(step);
    let last = first + step * i64::from(span.high - span.low);
    (least..=most).contains(&last).then_some((first, step))
}

fn exact_wide(first: u64, step: i64, signed: bool, span: Span) -> Option<(i64, i64)> {
    // Sums and differences of two of these, and of their steps, fit.
    const MOST: i64 = 1 << 61;
    let first = first as i64;
    let last = step.checked_mul(i64::from(span.high - span.low))?.checked_add(first)?;
    let least = if signed { -MOST } else { 0 };
    let fits = |value| (least..MOST).contains(&value);
    // Of a single lane the step says nothing, and may be anything.
    let step = if span.low == span.high { 0 } else { step };
    (fits(first) && fits(last)).then_some((first, step))
}

/// The lanes of a span in which a comparison of two registers holds; `None` where the plain loop has to say.
#[inline(always)]
pub fn compare(linear: Linear, a: Line, b: Line, wide: bool, span: Span) -> Option<u32> {
    let Linear::Compare { signed, less, equal, greater } = linear else { return None };
    if a.stride == 0 && b.stride == 0 {
        return Some(if holds((signed, less, equal, greater), a.base, b.base, wide) { u32::MAX } else { 0 });
    }
    let (a, a_step) = exact(a, wide, signed, span)?;
    let (b, b_step) = exact(b, wide, signed, span)?;
    let (first, step) = (a - b, a_step - b_step);
    let lanes = i64::from(span.high - span.low) + 1;
    let last = first + step * (lanes - 1);
    // Mostly it is the same in all lanes.
    if first < 0 && last < 0 || first > 0 && last > 0 {
        return Some(if first < 0 && less || first > 0 && greater { span.mask() } else { 0 });
    }
    Some(turning_point((first, step), (less, equal, greater), span))
}

/// The lanes of a span in which a difference, given in the lowest of them and by its step, is less than, equal to or greater
/// than zero.
pub fn turning_point(
    (first, step): (i64, i64),
    (less, equal, greater): (bool, bool, bool),
    span: Span,
) -> u32 {
    // Turned round, the difference never falls from lane to lane.
    let (first, step, below, above) =
        if step < 0 { (-first, -step, greater, less) } else { (first, step, less, greater) };
    let lanes = i64::from(span.high - span.low) + 1;
    let last = first + step * (lanes - 1);
    let negative = match first {
        0.. => 0,
        _ if last < 0 => lanes,
        // `step` cannot be zero here. The quotient is rounded up.
        _ => (step - 1 - first) / step,
    };
    let zero = match (step, negative < lanes && first + step * negative == 0) {
        (_, false) => 0,
        (0, true) => lanes,
        (_, true) => 1,
    };
    let up_to = |count: i64| ((1_u64 << count) - 1) as u32;
    let (under, under_or_zero) = (up_to(negative), up_to(negative + zero));
    let pick = |wanted: bool, lanes: u32| if wanted { lanes } else { 0 };
    let holds =
        pick(below, under) | pick(equal, under_or_zero & !under) | pick(above, up_to(lanes) & !under_or_zero);
    holds << span.low
}

/// Whether a comparison of two numbers holds.
#[inline(always)]
pub fn holds((signed, less, equal, greater): (bool, bool, bool, bool), a: u64, b: u64, wide: bool) -> bool {
    // With the sign turned, numbers with a sign come in the order of those without.
    let turned = match (signed, wide) {
        (false, _) => 0,
        (true, true) => 1 << 63,
        (true, false) => 1 << 31,
    };
    let (a, b) = (a ^ turned, b ^ turned);
    (less && a < b) || (equal && a == b) || (greater && a > b)
}

/// What a table says of two predicates, for all lanes at once: bit `2a + b`.
#[inline(always)]
pub fn logic(table: u8, a: u32, b: u32) -> u32 {
    let row = |bit: u8| if table >> bit & 1 != 0 { u32::MAX } else { 0 };
    a & (b & row(3) | !b & row(2)) | !a & (b & row(1) | !b & row(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of an instruction on registers `a`, `b` and `c`.
    fn compute(linear: Linear, sources: [Line; 3], wide: bool, span: Span) -> Option<Line> {
        let (formula, from) = Formula::of(linear, wide)?;
        formula.compute(from.map(|source| sources[source]), span)
    }

    /// Numbers around every place where something wraps.
    const NUMBERS: [u64; 14] = [
        0,
        1,
        3,
        31,
        32,
        0x7fff_fff0,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_fff0,
        0xffff_ffff,
        0x1_0000_0000,
        1 << 63,
        u64::MAX - 40,
        u64::MAX,
    ];

    const SPANS: [Span; 4] = [
        Span { low: 0, high: 31 },
        Span { low: 0, high: 0 },
        Span { low: 5, high: 9 },
        Span { low: 31, high: 31 },
    ];

    fn lines() -> impl Iterator<Item = Line> + Clone {
        NUMBERS.into_iter().flat_map(|base| NUMBERS.into_iter().map(move |stride| Line { base, stride }))
    }

    fn signed_value(bits: u64, wide: bool, signed: bool) -> i128 {
        match (wide, signed) {
            (true, true) => i128::from(bits as i64),
            (true, false) => i128::from(bits),
            (false, true) => i128::from(bits as u32 as i32),
            (false, false) => i128::from(bits as u32),
        }
    }

    #[test]
    fn comparisons_hold_lane_by_lane() {
        let mut answered = 0;
        for (a, b) in lines().flat_map(|a| lines().step_by(5).map(move |b| (a, b))) {
            for (wide, signed) in [(false, false), (false, true), (true, false), (true, true)] {
                // A register of 32 bits holds no more.
                let [a, b] = [a, b].map(|line| if wide { line } else { line.narrow() });
                for span in SPANS {
                    for (less, equal, greater) in
                        [(true, false, false), (false, true, true), (true, false, true)]
                    {
                        let linear = Linear::Compare { signed, less, equal, greater };
                        let Some(mask) = compare(linear, a, b, wide, span) else { continue };
                        answered += 1;
                        for lane in 0..32 {
                            let [x, y] = [a, b].map(|line| signed_value(line.at(lane), wide, signed));
                            let holds = less && x < y || equal && x == y || greater && x > y;
                            // Of registers that are uniform it is said for all lanes.
                            let all = a.stride == 0 && b.stride == 0;
                            let inside = all || (span.low..=span.high).contains(&lane);
                            assert_eq!(
                                mask >> lane & 1 == 1,
                                inside && holds,
                                "{linear:?} {a:?} {b:?} {wide} {span:?}"
                            );
                        }
                    }
                }
            }
        }
        assert!(answered > 100_000, "{answered}");
    }

    #[test]
    fn widening_is_exact_or_refused() {
        let mut answered = 0;
        for line in lines() {
            for (signed, span) in SPANS.into_iter().flat_map(|span| [(false, span), (true, span)]) {
                let Some(wide) = line.extend(signed, span) else { continue };
                answered += 1;
                for lane in span.low..=span.high {
                    let expected = signed_value(line.at(lane), false, signed);
                    assert_eq!(i128::from(wide.at(lane) as i64), expected, "{line:?} {signed} {span:?}");
                }
            }
        }
        assert!(answered > 500, "{answered}");
    }

    #[test]
    fn sums_and_products_are_linear_whatever_wraps() {
        let span = SPANS[0];
        for (a, k) in lines().flat_map(|a| NUMBERS.map(|k| (a, Line::uniform(k)))) {
            for lane in 0..32 {
                let (x, k_value) = (a.at(lane), k.base);
                let get = |linear, sources| compute(linear, sources, true, span).unwrap().at(lane);
                assert_eq!(get(Linear::Add, [a, a, k]), x.wrapping_add(x));
                assert_eq!(get(Linear::Subtract, [k, a, k]), k_value.wrapping_sub(x));
                assert_eq!(get(Linear::Multiply, [a, k, k]), x.wrapping_mul(k_value));
                assert_eq!(get(Linear::MultiplyAdd, [k, a, a]), x.wrapping_mul(k_value).wrapping_add(x));
                let shifted = if k_value < 64 { x << k_value } else { 0 };
                assert_eq!(get(Linear::ShiftLeft, [a, k, k]), shifted);
            }
        }
    }
}
