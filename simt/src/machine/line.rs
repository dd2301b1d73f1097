//! Registers that are linear in the lane, kept as two numbers instead of 32.
//!
//! A parameter is the same in all lanes, and an index is one more from lane to lane; so are the addresses made of them.
//! What such a register holds in lane `l` is `base + stride * l`, modulo its width. Which registers are kept so is the
//! engine's business (`engine::swift`).

use super::registers::{Narrow, WARP_SIZE, Wide};

/// A register that is linear in the lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Its value in lane 0.
    pub base: u64,
    /// How much more it is from lane to lane.
    pub stride: u64,
}

/// The registers of a warp that are kept as lines: as many as a number of eight bits can tell apart, so that none has to
/// be looked for past the end.
pub type Lines = [Line; 256];

impl Line {
    /// The same value in all lanes.
    pub const fn uniform(value: u64) -> Line {
        Line { base: value, stride: 0 }
    }

    /// The value in a lane, modulo 2^64.
    #[inline(always)]
    pub const fn at(self, lane: u32) -> u64 {
        self.base.wrapping_add(self.stride.wrapping_mul(lane as u64))
    }

    /// The same modulo 2^32, as a register of up to 32 bits holds it.
    #[inline(always)]
    #[must_use]
    pub const fn narrow(self) -> Line {
        Line { base: self.base as u32 as u64, stride: self.stride as u32 as u64 }
    }

    /// All lanes, in a register of up to 32 bits.
    #[inline(always)]
    pub fn write_narrow(self, column: &mut Narrow) {
        // Four sums that go on side by side become vector code; a product a lane would not.
        let mut four: [u32; 4] = std::array::from_fn(|lane| self.at(lane as u32) as u32);
        let step = (self.stride as u32).wrapping_mul(4);
        for chunk in column.chunks_exact_mut(4) {
            chunk.copy_from_slice(&four);
            four = four.map(|value| value.wrapping_add(step));
        }
    }

    /// All lanes, in a register of 64 bits.
    #[inline(always)]
    pub fn write_wide(self, column: &mut Wide) {
        let mut two: [u64; 2] = [self.base, self.at(1)];
        let step = self.stride.wrapping_mul(2);
        for chunk in column.chunks_exact_mut(2) {
            chunk.copy_from_slice(&two);
            two = two.map(|value| value.wrapping_add(step));
        }
    }

    /// The line that a register of up to 32 bits holds in the lanes of `mask`, if it is one.
    pub fn of_narrow(column: &Narrow, mask: u32) -> Option<Line> {
        let column: Wide = column.map(u64::from);
        let line = Line::through(&column, mask).narrow();
        let holds = |lane: usize| mask >> lane & 1 == 0 || line.at(lane as u32) as u32 == column[lane] as u32;
        (0..WARP_SIZE).all(holds).then_some(line)
    }

    /// The line that a register of 64 bits holds in the lanes of `mask`, if it is one.
    pub fn of_wide(column: &Wide, mask: u32) -> Option<Line> {
        let line = Line::through(column, mask);
        let holds = |lane: usize| mask >> lane & 1 == 0 || line.at(lane as u32) == column[lane];
        (0..WARP_SIZE).all(holds).then_some(line)
    }

    /// The line through the two lowest lanes of a mask that are neighbours; the same value everywhere where no two are.
    fn through(column: &Wide, mask: u32) -> Line {
        let first = mask.trailing_zeros();
        let pair = (mask & mask >> 1).trailing_zeros() as usize;
        match column.get(pair..pair.saturating_add(2)) {
            Some(&[one, next]) => {
                let stride = next.wrapping_sub(one);
                Line { base: one.wrapping_sub(stride.wrapping_mul(pair as u64)), stride }
            }
            _ => Line::uniform(column.get(first as usize).copied().unwrap_or(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_survives_the_way_through_a_column() {
        for (base, stride) in [(0, 0), (7, 1), (u64::MAX - 3, 4), (5, u64::MAX), (1 << 31, 1 << 30)] {
            let line = Line { base, stride };
            let (mut narrow, mut wide) = ([0; WARP_SIZE], [0; WARP_SIZE]);
            line.write_narrow(&mut narrow);
            line.write_wide(&mut wide);
            for lane in 0..WARP_SIZE {
                assert_eq!(wide[lane], line.at(lane as u32));
                assert_eq!(narrow[lane], line.at(lane as u32) as u32);
            }
            for mask in [u32::MAX, 0xff, 0xf0] {
                assert_eq!(Line::of_narrow(&narrow, mask), Some(line.narrow()));
                assert_eq!(Line::of_wide(&wide, mask), Some(line));
            }
            wide[9] ^= 1;
            assert_eq!(Line::of_wide(&wide, u32::MAX), None);
            assert_eq!(Line::of_wide(&wide, 1 << 9), Some(Line::uniform(wide[9])));
        }
    }
}
