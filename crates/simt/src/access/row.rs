//! Rows: lanes that access memory in equal steps, as most accesses are.
//!
//! A row is found by looking at the addresses. Its elements lie in one range of bytes, which is checked once; neighbouring
//! elements are copied at once; and its sectors and bank conflicts follow from the address of its first element and the step.
//! A warp of a two-dimensional block often covers two rows of that block, half a warp each, so [`Shape::of`] also looks for
//! two rows.

use super::address::is_aligned;
use super::{element, traffic};
use crate::isa::op::memory::Access;
use crate::isa::value::Args;
use crate::machine::fork::Marks;
use crate::machine::registers::{FULL_MASK, Lanes, WARP_SIZE, Wide, Word, copy_lanes, lanes_of, write_lanes};

/// The lower half of a warp.
const LOWER_HALF: u32 = 0xffff;

/// Lanes that access elements in equal steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The address of the lowest lane.
    first: u64,
    /// From lane to lane, in bytes.
    step: i64,
    /// The lanes, at least one.
    pub mask: u32,
}

/// How the addresses of an access lie.
#[derive(Clone, Copy, Debug)]
pub enum Shape<'a> {
    /// In one row.
    One(Row),
    /// In two rows, one of each half of the warp.
    Two([Row; 2]),
    /// Otherwise: the addresses, and which lanes have them.
    Scattered(&'a Wide, u32),
}

impl Row {
    /// The row of the lanes of `mask`, if they form one.
    #[inline(always)]
    pub fn of(at: &Wide, mask: u32) -> Option<Row> {
        if mask == FULL_MASK { Row::of_range::<0, WARP_SIZE>(at, mask) } else { Row::of_some(at, mask) }
    }

    /// The row of all lanes from `LOW` to before `END`, which `mask` has.
    #[inline(always)]
    fn of_range<const LOW: usize, const END: usize>(at: &Wide, mask: u32) -> Option<Row> {
        let step = at[LOW + 1].wrapping_sub(at[LOW]);
        let mut differs = 0;
        for lane in LOW..END - 1 {
            differs |= at[lane + 1].wrapping_sub(at[lane]) ^ step;
        }
        (differs == 0).then_some(Row { first: at[LOW], step: step as i64, mask })
    }

    fn of_some(at: &Wide, mask: u32) -> Option<Row> {
        let low = mask.trailing_zeros() as usize % WARP_SIZE;
        let others = mask & mask.wrapping_sub(1);
        let first = at[low];
        if others == 0 {
            return (mask != 0).then_some(Row { first, step: 0, mask });
        }
        let next = others.trailing_zeros() as usize;
        let (gap, lanes) = (at[next].wrapping_sub(first) as i64, (next - low) as i64);
        if gap % lanes != 0 {
            return None;
        }
        let step = gap / lanes;
        let mut differs = 0;
        for (lane, &address) in at.iter().enumerate() {
            let expected = first.wrapping_add_signed(step.wrapping_mul(lane as i64 - low as i64));
            differs |= u32::from(address != expected) << lane;
        }
        (differs & mask == 0).then_some(Row { first, step, mask })
    }

    /// The row of the lanes of `mask`, of which lane 0 would have the address `start`.
    #[inline(always)]
    pub fn from_lane_0(start: u64, step: u64, mask: u32) -> Row {
        let low = u64::from(mask.trailing_zeros() % WARP_SIZE as u32);
        Row { first: start.wrapping_add(step.wrapping_mul(low)), step: step as i64, mask }
    }

    /// The address of a lane.
    #[inline(always)]
    fn address(&self, lane: usize) -> u64 {
        let lanes = lane as i64 - i64::from(self.low());
        self.first.wrapping_add_signed(self.step.wrapping_mul(lanes))
    }

    fn low(&self) -> u32 {
        self.mask.trailing_zeros() % WARP_SIZE as u32
    }

    /// Lanes from the lowest to the highest.
    #[inline(always)]
    fn span(&self) -> u32 {
        32 - self.mask.leading_zeros() % 32 - self.low()
    }

    /// The address of lane 0, whether it is one of them or not, and the step.
    #[inline(always)]
    pub fn line(&self) -> (u64, u64) {
        (self.address(0), self.step as u64)
    }

    /// The first byte that a lane touches, and how many there are up to the last, where each element has `bytes`. `None`
    /// where an element is misaligned or an address wraps.
    #[inline(always)]
    pub fn range(&self, bytes: u64) -> Option<(u64, u64)> {
        let steps = i64::from(self.span()) - 1;
        let is_aligned =
            is_aligned(self.first, bytes) && (steps == 0 || is_aligned(self.step.unsigned_abs(), bytes));
        if !is_aligned {
            return None;
        }
        let last = self.first.checked_add_signed(self.step.checked_mul(steps)?)?;
        Some((self.first.min(last), self.first.abs_diff(last).checked_add(bytes)?))
    }

    /// Whether elements of several lanes have bytes in common.
    #[inline(always)]
    pub fn overlaps(&self, bytes: u64) -> bool {
        self.mask.count_ones() > 1 && self.step.unsigned_abs() < bytes
    }

    /// Whether the elements of the lanes are neighbours, and no lane between the lowest and the highest is missing.
    #[inline(always)]
    pub fn is_dense(&self, bytes: u64) -> bool {
        let rest = self.mask >> self.low();
        rest & rest.wrapping_add(1) == 0 && (self.step == bytes as i64 || rest == 1)
    }

    /// The sectors that the lanes touch.
    #[inline(always)]
    pub fn sectors(&self, bytes: u64) -> u64 {
        if self.is_dense(bytes) {
            return traffic::sectors_of_range(self.first, bytes * u64::from(self.span()));
        }
        traffic::sectors_of_line(self.first, self.step, self.mask >> self.low())
    }

    /// The offset of a lane's element from the start of the range.
    #[inline(always)]
    fn offset(&self, lane: usize) -> usize {
        let low = self.low() as i64;
        let from = if self.step < 0 { low + i64::from(self.span()) - 1 } else { low };
        (self.step * (lane as i64 - from)) as usize
    }

    /// Marks the bytes of the elements, if the range has `length` bytes and starts at `start` among the marks.
    #[inline]
    pub fn mark(&self, marks: &mut Marks, start: usize, length: usize, bytes: u64) {
        let bytes = bytes as usize;
        let rest = self.mask >> self.low();
        let step = self.step.unsigned_abs() as usize;
        if rest & rest.wrapping_add(1) == 0 && step <= bytes || rest == 1 {
            return marks.add_range(start, length);
        }
        // The distance from the lowest lane to the next. The mask is regular if each other lane has one exactly so far below it.
        let gap = (rest & rest.wrapping_sub(1)).trailing_zeros();
        if rest & !(rest << gap) == 1 {
            marks.add_elements(start, bytes, step * gap as usize, rest.count_ones() as usize);
        } else {
            lanes_of(self.mask).for_each(|lane| marks.add_range(start + self.offset(lane), bytes));
        }
    }

    /// Loads each lane's element from the bytes of the range.
    #[inline(always)]
    pub fn load(&self, lanes: &mut Lanes<'_>, args: &Args, access: &Access, data: &[u8]) {
        match (access.bytes, access.count, access.register_bits) {
            (4, 1, 32) => self.load_words(&mut lanes.narrow[usize::from(args.d)], data),
            (8, 1, _) => self.load_words(&mut lanes.wide[usize::from(args.d)], data),
            _ => {
                for lane in lanes_of(self.mask) {
                    element::load_lane(lanes, args, access, lane, &data[self.offset(lane)..]);
                }
            }
        }
    }

    /// Loads each lane's word from the bytes of the range.
    #[inline(always)]
    pub fn load_words<T: Word>(&self, column: &mut [T; WARP_SIZE], data: &[u8]) {
        let (low, bytes) = (self.low() as usize, size_of::<T>());
        if self.is_dense(bytes as u64) {
            T::load(&mut column[low..], data);
        } else if self.step == bytes as i64 {
            let mut all = *column;
            T::load(&mut all[low..], data);
            copy_lanes(column, self.mask, &all);
        } else if self.step == 0 {
            let mut word = [T::default()];
            T::load(&mut word, data);
            write_lanes(column, self.mask, |_| word[0]);
        } else {
            for lane in lanes_of(self.mask) {
                T::load(&mut column[lane..=lane], &data[self.offset(lane)..]);
            }
        }
    }

    /// Stores each lane's element to the bytes of the range.
    #[inline(always)]
    pub fn store(&self, lanes: &Lanes<'_>, args: &Args, access: &Access, data: &mut [u8]) {
        match (access.bytes, access.count, access.register_bits) {
            (4, 1, 32) => self.store_words(&lanes.narrow[usize::from(args.d)], data),
            (8, 1, _) => self.store_words(&lanes.wide[usize::from(args.d)], data),
            _ => {
                for lane in lanes_of(self.mask) {
                    element::store_lane(lanes, args, access, lane, &mut data[self.offset(lane)..]);
                }
            }
        }
    }

    /// Stores each lane's word to the bytes of the range.
    #[inline(always)]
    pub fn store_words<T: Word>(&self, column: &[T; WARP_SIZE], data: &mut [u8]) {
        let (low, bytes) = (self.low() as usize, size_of::<T>());
        if self.is_dense(bytes as u64) {
            T::store(&column[low..], data);
        } else if self.step == bytes as i64 {
            let mut all = *column;
            T::load(&mut all[low..], data);
            copy_lanes(&mut all, self.mask, column);
            T::store(&all[low..], data);
        } else {
            for lane in lanes_of(self.mask) {
                T::store(&column[lane..=lane], &mut data[self.offset(lane)..]);
            }
        }
    }
}

impl<'a> Shape<'a> {
    /// How the addresses of the lanes of `mask` lie.
    #[inline(always)]
    pub fn of(at: &'a Wide, mask: u32) -> Shape<'a> {
        if let Some(row) = Row::of(at, mask) {
            return Shape::One(row);
        }
        if mask == FULL_MASK
            && let Some(lower) = Row::of_range::<0, 16>(at, LOWER_HALF)
            && let Some(upper) = Row::of_range::<16, WARP_SIZE>(at, !LOWER_HALF)
        {
            return Shape::Two([lower, upper]);
        }
        Shape::Scattered(at, mask)
    }

    /// The two rows of which lanes 0 and 16 have these addresses.
    #[inline(always)]
    pub fn of_halves(lower: u64, upper: u64, step: u64) -> Shape<'a> {
        let row = |first, mask| Row { first, step: step as i64, mask };
        Shape::Two([row(lower, LOWER_HALF), row(upper, !LOWER_HALF)])
    }

    /// The address of a lane.
    #[inline(always)]
    pub fn address(&self, lane: usize) -> u64 {
        match self {
            Shape::One(row) => row.address(lane),
            Shape::Two(rows) => rows[lane / (WARP_SIZE / 2)].address(lane),
            Shape::Scattered(at, _) => at[lane],
        }
    }

    /// The addresses of all lanes; those of lanes that are not active mean nothing.
    pub fn addresses(&self) -> Wide {
        match self {
            Shape::Scattered(at, _) => **at,
            _ => std::array::from_fn(|lane| self.address(lane)),
        }
    }

    /// The active lanes.
    #[inline(always)]
    pub fn mask(&self) -> u32 {
        match self {
            Shape::One(row) => row.mask,
            Shape::Two(_) => FULL_MASK,
            Shape::Scattered(_, mask) => *mask,
        }
    }

    /// The rows, of which there may be none.
    #[inline(always)]
    pub fn rows(&self) -> &[Row] {
        match self {
            Shape::One(row) => std::slice::from_ref(row),
            Shape::Two(rows) => rows,
            Shape::Scattered(..) => &[],
        }
    }

    /// Whether the addresses are rows and no two lanes touch the same byte.
    #[inline(always)]
    pub fn is_disjoint(&self, bytes: u64) -> bool {
        let [lower, upper] = match self {
            Shape::One(row) => return !row.overlaps(bytes),
            Shape::Two(rows) => rows,
            Shape::Scattered(..) => return false,
        };
        let ranges = lower.range(bytes).zip(upper.range(bytes));
        !lower.overlaps(bytes)
            && !upper.overlaps(bytes)
            && ranges.is_some_and(|(one, other)| one.0 + one.1 <= other.0 || other.0 + other.1 <= one.0)
    }

    /// The sectors that the lanes touch with `bytes` bytes each.
    #[inline(always)]
    pub fn sectors(&self, bytes: u64) -> u64 {
        match self {
            Shape::One(row) => row.sectors(bytes),
            Shape::Two([lower, upper]) if lower.is_dense(bytes) && upper.is_dense(bytes) => {
                let length = bytes * WARP_SIZE as u64 / 2;
                let common = traffic::common_sectors(lower.first, upper.first, length);
                lower.sectors(bytes) + upper.sectors(bytes) - common
            }
            _ => traffic::sectors(&self.addresses(), self.mask()),
        }
    }

    /// What a load or a store of `bytes` bytes costs: sectors in global memory, extra passes in shared memory.
    #[inline(always)]
    pub fn cost(&self, bytes: u64, is_load: bool, is_shared: bool) -> u64 {
        if is_shared { self.conflicts(bytes, is_load) } else { self.sectors(bytes) }
    }

    /// The extra passes that loads or stores of `bytes` bytes need in shared memory: those of a row of words follow from its
    /// step.
    #[inline(always)]
    pub fn conflicts(&self, bytes: u64, is_load: bool) -> u64 {
        match self {
            Shape::One(row) if bytes == 4 && row.step % 4 == 0 && row.first.is_multiple_of(4) => {
                traffic::conflicts_of_words(row.step / 4, row.mask >> row.low())
            }
            _ if is_load => traffic::load_conflicts(&self.addresses(), self.mask(), bytes),
            _ => traffic::store_conflicts(&self.addresses(), self.mask(), bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::fork::PAGE_BYTES;

    /// Addresses of several forms, many of them rows.
    fn patterns() -> Vec<Wide> {
        let strided = |start: u64, step: i64| -> Wide {
            std::array::from_fn(|lane| start.wrapping_add_signed(step * lane as i64))
        };
        let mut patterns = Vec::new();
        for step in [-36, -8, -4, 0, 1, 2, 4, 6, 8, 16, 32, 36, 128, 4096] {
            for start in [4096, 4100, 4110, 4128] {
                patterns.push(strided(start + 40_000, step));
            }
        }
        for (lower, upper) in [(4096_u64, 8192_u64), (4096, 4160), (4096, 4128), (4100, 4100), (8192, 4096)] {
            for step in [4, 8, 0] {
                patterns.push(std::array::from_fn(|lane| {
                    (if lane < 16 { lower } else { upper }) + step * (lane as u64 % 16)
                }));
            }
        }
        patterns.push(std::array::from_fn(|lane| 4096 + (lane as u64 * 7 % 32) * 4));
        patterns
    }

    const MASKS: [u32; 9] =
        [FULL_MASK, 1, 0xff, 0xff00, 0x5555_5555, 0x0101_0101, 0x8000_0001, 0x00f0_f001, LOWER_HALF];

    #[test]
    fn a_row_has_the_addresses_that_it_was_made_from() {
        for (at, mask) in patterns().into_iter().flat_map(|at| MASKS.map(|mask| (at, mask))) {
            let Some(row) = Row::of(&at, mask) else { continue };
            let (base, step) = row.line();
            for lane in lanes_of(mask) {
                assert_eq!(base.wrapping_add(step.wrapping_mul(lane as u64)), at[lane], "{at:?} {mask:#x}");
            }
            if let Some((start, length)) = row.range(2) {
                for lane in lanes_of(mask) {
                    assert_eq!(start + row.offset(lane) as u64, at[lane]);
                    assert!(at[lane] + 2 <= start + length);
                }
                if length > PAGE_BYTES as u64 {
                    continue;
                }
                let mut marks = Marks::NOTHING;
                row.mark(&mut marks, 0, length as usize, 2);
                let mut wanted: Vec<usize> =
                    lanes_of(mask).flat_map(|lane| [row.offset(lane), row.offset(lane) + 1]).collect();
                wanted.sort_unstable();
                wanted.dedup();
                assert_eq!(marks.bytes().collect::<Vec<_>>(), wanted, "{at:?} {mask:#x}");
            }
        }
    }

    #[test]
    fn a_row_is_found_wherever_there_is_one() {
        for (start, step) in [(4096_u64, 4_i64), (4096, -4), (64, 0), (4096, 12)] {
            let at: Wide = std::array::from_fn(|lane| start.wrapping_add_signed(step * lane as i64));
            for mask in MASKS {
                assert!(Row::of(&at, mask).is_some(), "{step} {mask:#x}");
            }
        }
        let scattered: Wide = std::array::from_fn(|lane| (lane * lane) as u64);
        assert!(Row::of(&scattered, FULL_MASK).is_none());
        assert!(Row::of(&scattered, 0b111).is_none());
        assert!(Row::of(&scattered, 0).is_none());
    }

    #[test]
    fn a_shape_costs_what_its_addresses_cost() {
        for (at, mask) in patterns().into_iter().flat_map(|at| MASKS.map(|mask| (at, mask))) {
            let shape = Shape::of(&at, mask);
            for bytes in [4, 8, 16].into_iter().filter(|&bytes| at.iter().all(|at| at.is_multiple_of(bytes)))
            {
                let message = format!("{shape:?} {bytes}");
                assert_eq!(shape.sectors(bytes), traffic::sectors(&at, mask), "{message}");
                let loads = traffic::load_conflicts(&at, mask, bytes);
                assert_eq!(shape.conflicts(bytes, true), loads, "{message}");
                let stores = traffic::store_conflicts(&at, mask, bytes);
                assert_eq!(shape.conflicts(bytes, false), stores, "{message}");
            }
        }
    }
}
