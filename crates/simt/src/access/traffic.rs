//! What one memory instruction costs: the sectors of global memory, and the bank conflicts of shared memory.
//!
//! A *sector* is 32 aligned bytes, the unit in which the caches move data. An instruction needs each sector once,
//! however many of its lanes access it. A *bank* is one of 32 columns of 4-byte words in shared memory. In one pass
//! each bank can serve one word, to any number of lanes. Atomics differ in both: lanes that access the same word are
//! served one after the other.

use crate::machine::registers::{WARP_SIZE, Wide, lanes_of};

/// Bytes in a sector, as a power of two.
const SECTOR_SHIFT: u32 = 5;
/// Bytes in a word of a bank.
const WORD_BYTES: u64 = 4;
/// Banks of shared memory.
const BANKS: u64 = 32;

/// The number of sectors that contain `bytes` bytes from `start` on.
#[inline(always)]
pub fn sectors_of_range(start: u64, bytes: u64) -> u64 {
    let last = start.wrapping_add(bytes - 1);
    (last >> SECTOR_SHIFT).wrapping_sub(start >> SECTOR_SHIFT) + 1
}

/// The sectors that two ranges of `bytes` bytes have in common.
#[inline(always)]
pub fn common_sectors(one: u64, other: u64, bytes: u64) -> u64 {
    let last = one.min(other).wrapping_add(bytes - 1) >> SECTOR_SHIFT;
    (last + 1).saturating_sub(one.max(other) >> SECTOR_SHIFT)
}

/// The sectors that the lanes of `mask` touch, `bytes` aligned bytes each. An aligned element of 32 bytes or
/// less, and there are no larger ones, lies in one sector.
pub fn sectors(at: &Wide, mask: u32) -> u64 {
    let (mut seen, mut count) = ([0; WARP_SIZE], 0);
    for lane in lanes_of(mask) {
        let sector = at[lane] >> SECTOR_SHIFT;
        if count == 0 || seen[count - 1] != sector {
            seen[count] = sector;
            count += 1;
        }
    }
    let seen = &mut seen[..count];
    if !seen.is_sorted() {
        seen.sort_unstable();
    }
    seen.chunk_by(u64::eq).count() as u64
}

/// The number of sectors for aligned elements that are `step` bytes apart. The first, that of lane 0, is at `first`;
/// `mask` contains lane 0.
pub fn sectors_of_line(first: u64, step: i64, mask: u32) -> u64 {
    if step == 4 && first.is_multiple_of(4) {
        return sectors_of_words(first, mask);
    }
    if step.unsigned_abs() >= 1 << SECTOR_SHIFT {
        return u64::from(mask.count_ones());
    }
    let (mut count, mut last) = (0, None);
    for lane in lanes_of(mask) {
        // Addresses increase or decrease all along the row, so it never returns to a sector that it has left.
        let sector = first.wrapping_add_signed(step.wrapping_mul(lane as i64)) >> SECTOR_SHIFT;
        count += u64::from(last != Some(sector));
        last = Some(sector);
    }
    count
}

/// The number of sectors for adjacent 4-byte words of the lanes of `mask`, the first one at `first`. A sector has eight
/// words.
fn sectors_of_words(first: u64, mask: u32) -> u64 {
    let mut words = u64::from(mask) << (first >> 2 & 7);
    words |= words >> 4;
    words |= words >> 2;
    words |= words >> 1;
    u64::from((words & 0x0101_0101_0101_0101).count_ones())
}

/// The number of extra passes for 4-byte words of the lanes of `mask` that are `step` words apart.
pub fn conflicts_of_words(step: i64, mask: u32) -> u64 {
    if step == 0 {
        return 0;
    }
    // Lanes whose distance is a multiple of this number share a bank.
    let period = BANKS >> step.trailing_zeros().min(5);
    let together =
        |first: u64| (first..BANKS).step_by(period as usize).filter(|lane| mask >> lane & 1 != 0).count();
    let most = if period == BANKS { 1 } else { (0..period).map(together).max().unwrap_or(0) };
    most.saturating_sub(1) as u64
}

/// The number of extra passes for loads of `bytes` bytes by the lanes of `mask`.
///
/// If lanes load more than a word, groups of them are served: 16 lanes at a time for 8 bytes, 8 lanes for 16. Two
/// groups are merged into one if each lane of them loads the same as its neighbour, or each the same as its neighbour
/// but one. This was measured on an H200 with 576 patterns.
pub fn load_conflicts(at: &Wide, mask: u32, bytes: u64) -> u64 {
    let merged = bytes > WORD_BYTES && (same_as_partner(at, mask, 1) || same_as_partner(at, mask, 2));
    conflicts(at, mask, bytes, if merged { 2 } else { 1 })
}

/// The number of extra passes for stores of `bytes` bytes by the lanes of `mask`: as for loads, but groups are never
/// merged.
pub fn store_conflicts(at: &Wide, mask: u32, bytes: u64) -> u64 {
    conflicts(at, mask, bytes, 1)
}

/// The number of sectors for atomics on the aligned elements of the lanes of `mask`. If several lanes access the same
/// element, each of them needs the sector once more, because the hardware carries out one of these operations at a
/// time. This was measured on an H200 with 408 pairs of an operation and a pattern (`crates/simt/tests/atomic_counters.rs`).
pub fn atomic_sectors(at: &Wide, mask: u32) -> u64 {
    let mut wanted = [0; WARP_SIZE];
    let count = lanes_of(mask).zip(&mut wanted).map(|(lane, wanted)| *wanted = at[lane]).count();
    let wanted = &mut wanted[..count];
    wanted.sort_unstable();
    let in_sector = wanted.chunk_by(|a, b| a >> SECTOR_SHIFT == b >> SECTOR_SHIFT);
    in_sector.map(|sector| sector.chunk_by(u64::eq).map(<[u64]>::len).max().unwrap_or(0) as u64).sum()
}

/// The number of extra passes for atomics on `bytes` bytes of shared memory by the lanes of `mask`. In a pass each bank
/// serves one lane, even if others access the same word. Elements of 8 bytes are served for half a warp at a time.
/// Measured as above. Operations that the assembler turns into a loop (sums of floats and of 64-bit integers) cost more
/// on hardware.
pub fn atomic_conflicts(at: &Wide, mask: u32, bytes: u64) -> u64 {
    let words = (bytes / WORD_BYTES).max(1);
    extra_passes(mask, WARP_SIZE / words as usize, |lanes| {
        let mut in_bank = [0_u64; BANKS as usize];
        for lane in lanes_of(lanes) {
            (0..words).for_each(|word| in_bank[((at[lane] / WORD_BYTES + word) % BANKS) as usize] += 1);
        }
        in_bank.into_iter().max().unwrap_or(0)
    })
}

/// The extra passes of groups of so many lanes that are served at once, if `passes` says how many a group needs.
fn extra_passes(mask: u32, lanes_at_once: usize, passes: impl Fn(u32) -> u64) -> u64 {
    let first = u32::MAX >> (WARP_SIZE - lanes_at_once);
    let groups = (0..WARP_SIZE).step_by(lanes_at_once).map(|low| mask & first << low);
    groups.map(|lanes| passes(lanes).saturating_sub(1)).sum()
}

/// Whether each lane accesses the same word as the lane `distance` away in its pair, if that lane is active.
fn same_as_partner(at: &Wide, mask: u32, distance: usize) -> bool {
    lanes_of(mask).all(|lane| mask >> (lane ^ distance) & 1 == 0 || at[lane] == at[lane ^ distance])
}

fn conflicts(at: &Wide, mask: u32, bytes: u64, groups_at_once: usize) -> u64 {
    let words = (bytes / WORD_BYTES).max(1) as usize;
    extra_passes(mask, WARP_SIZE / words * groups_at_once, |lanes| passes(at, lanes, words as u64))
}

/// The number of passes for one group of lanes: the largest number of different words that one bank has to serve.
fn passes(at: &Wide, mask: u32, words: u64) -> u64 {
    let mut banks_used = 0u32;
    // Two merged groups of lanes may need 64 words.
    let mut wanted = [0u64; 2 * WARP_SIZE];
    let mut count = 0;
    let mut collision = false;
    for lane in lanes_of(mask) {
        for word in 0..words {
            let unit = at[lane] / WORD_BYTES + word;
            let bank = 1 << (unit % BANKS);
            collision |= banks_used & bank != 0;
            banks_used |= bank;
            wanted[count] = unit;
            count += 1;
        }
    }
    if collision { most_in_one_bank(&mut wanted[..count]) } else { u64::from(count != 0) }
}

fn most_in_one_bank(words: &mut [u64]) -> u64 {
    words.sort_unstable();
    let mut in_bank = [0u64; BANKS as usize];
    for same in words.chunk_by(u64::eq) {
        in_bank[(same[0] % BANKS) as usize] += 1;
    }
    in_bank.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strided(base: u64, stride: u64) -> Wide {
        std::array::from_fn(|lane| base + lane as u64 * stride)
    }

    #[test]
    fn sectors_are_counted_once() {
        assert_eq!(sectors(&strided(0, 4), u32::MAX), 4);
        assert_eq!(sectors(&strided(16, 4), u32::MAX), 5);
        assert_eq!(sectors(&strided(0, 8), u32::MAX), 8);
        assert_eq!(sectors(&strided(0, 0), u32::MAX), 1);
        assert_eq!(sectors(&strided(0, 128), u32::MAX), 32);
        assert_eq!(sectors(&strided(0, 4), 0xff), 1);
        assert_eq!(sectors(&std::array::from_fn(|lane| (lane as u64 ^ 31) * 4), u32::MAX), 4);
        assert_eq!(sectors(&std::array::from_fn(|lane| (lane as u64 % 2) * 1000), u32::MAX), 2);
    }

    #[test]
    fn a_range_has_the_sectors_of_its_elements() {
        for (start, bytes) in [(0, 128), (16, 128), (4, 4), (28, 4), (60, 8), (32, 32)] {
            let elements: Wide = std::array::from_fn(|lane| start + (lane as u64 * 4).min(bytes - 4));
            assert_eq!(sectors_of_range(start, bytes), sectors(&elements, u32::MAX), "{start} {bytes}");
        }
    }

    #[test]
    fn a_line_costs_what_its_elements_cost() {
        for (base, step) in (0..64).flat_map(|base| (-300..300).map(move |step| (4096 + 4 * base, 4 * step)))
        {
            let at = strided(0, 0).map(|_| 0_u64);
            let at: Wide =
                std::array::from_fn(|lane| at[lane].wrapping_add_signed(base + step * lane as i64));
            let at = at.map(|address| address.wrapping_add(1 << 20));
            for mask in [u32::MAX, 1, 0xff, 0x5555_5555, 0x0101_0101, 0x8000_0001, 0x00f0_f001] {
                assert_eq!(sectors_of_line(at[0], step, mask), sectors(&at, mask), "{base} {step} {mask:#x}");
                let conflicts = conflicts_of_words(step / 4, mask);
                assert_eq!(conflicts, load_conflicts(&at, mask, 4), "{base} {step} {mask:#x}");
                assert_eq!(conflicts, store_conflicts(&at, mask, 4), "{base} {step} {mask:#x}");
            }
        }
    }

    #[test]
    fn conflicts_are_extra_passes() {
        assert_eq!(load_conflicts(&strided(0, 4), u32::MAX, 4), 0);
        assert_eq!(load_conflicts(&strided(0, 0), u32::MAX, 4), 0, "one word is broadcast");
        assert_eq!(load_conflicts(&strided(0, 8), u32::MAX, 4), 1);
        assert_eq!(load_conflicts(&strided(0, 128), u32::MAX, 4), 31);
        assert_eq!(load_conflicts(&strided(0, 132), u32::MAX, 4), 0);
        assert_eq!(load_conflicts(&strided(0, 8), u32::MAX, 8), 0);
        assert_eq!(load_conflicts(&strided(0, 16), u32::MAX, 16), 0);
        assert_eq!(load_conflicts(&strided(0, 1), u32::MAX, 1), 0);
        assert_eq!(load_conflicts(&strided(0, 128), 0b11, 4), 1);
        assert_eq!(store_conflicts(&strided(0, 16), u32::MAX, 8), 2);
    }

    #[test]
    fn atomics_on_one_place_come_one_after_the_other() {
        let same = strided(64, 0);
        assert_eq!((atomic_sectors(&same, u32::MAX), atomic_sectors(&same, 0xffff)), (32, 16));
        assert_eq!((atomic_conflicts(&same, u32::MAX, 4), atomic_conflicts(&same, 0xffff, 4)), (31, 15));
        assert_eq!(atomic_conflicts(&same, u32::MAX, 8), 30, "half a warp at a time");
        let neighbours = strided(20, 4);
        assert_eq!(
            (atomic_sectors(&neighbours, u32::MAX), atomic_conflicts(&neighbours, u32::MAX, 4)),
            (5, 0)
        );
        let in_turn: Wide = std::array::from_fn(|lane| lane as u64 % 2 * 4);
        assert_eq!((atomic_sectors(&in_turn, u32::MAX), atomic_conflicts(&in_turn, u32::MAX, 4)), (16, 15));
    }

    /// Two groups of lanes are served as one load if neighbours load the same word.
    #[test]
    fn groups_are_merged_as_the_hardware_merges_them() {
        let pairs: Wide = std::array::from_fn(|lane| lane as u64 / 2 * 16);
        assert_eq!((load_conflicts(&pairs, u32::MAX, 8), store_conflicts(&pairs, u32::MAX, 8)), (1, 0));
        let every_other: Wide = std::array::from_fn(|lane| (lane as u64 & !2) * 8);
        assert_eq!(load_conflicts(&every_other, u32::MAX, 8), 1);
        let wide_pairs: Wide = std::array::from_fn(|lane| lane as u64 / 2 * 32);
        assert_eq!(load_conflicts(&wide_pairs, u32::MAX, 16), 2);
        // A warp of which each half has one of the two patterns is not merged.
        let mixed: Wide =
            std::array::from_fn(|lane| if lane < 16 { lane as u64 / 2 } else { lane as u64 & !2 } * 16);
        assert_eq!(load_conflicts(&mixed, u32::MAX, 16), 0);
    }
}
