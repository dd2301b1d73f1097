//! What one memory instruction costs: sectors of global memory, bank conflicts of shared memory.
//!
//! A *sector* is 32 aligned bytes, the unit in which the caches move data; an instruction pays for each one
//! that any of its lanes touches, once. A *bank* is one of 32 columns of 4-byte words of shared memory; in one
//! pass each can serve one word, to any number of lanes.

use crate::isa::warp::lanes_of;
use crate::machine::registers::{WARP_SIZE, Wide};

/// Bytes in a sector, as a power of two.
const SECTOR_SHIFT: u32 = 5;
/// Bytes in a word of a bank.
const WORD_BYTES: u64 = 4;
/// Banks of shared memory.
const BANKS: u64 = 32;

/// The sectors of `bytes` bytes from `start` on.
#[inline(always)]
pub fn sectors_of_range(start: u64, bytes: u64) -> u64 {
    let last = start.wrapping_add(bytes - 1);
    (last >> SECTOR_SHIFT).wrapping_sub(start >> SECTOR_SHIFT) + 1
}

/// The sectors that the lanes of `mask` touch, `bytes` aligned bytes each. An aligned element of 32 bytes or
/// less, and there are no larger ones, lies in one sector.
pub fn sectors(at: &Wide, mask: u32) -> u64 {
    distinct(at, mask, SECTOR_SHIFT, &mut [0; WARP_SIZE]) as u64
}

/// How many different `address >> shift` there are among the lanes of `mask`; `seen` holds them.
fn distinct(at: &Wide, mask: u32, shift: u32, seen: &mut Wide) -> usize {
    let mut count = 0;
    for lane in lanes_of(mask) {
        let unit = at[lane] >> shift;
        if count == 0 || seen[count - 1] != unit {
            seen[count] = unit;
            count += 1;
        }
    }
    let seen = &mut seen[..count];
    if seen.is_sorted() {
        return count;
    }
    seen.sort_unstable();
    1 + seen.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// The extra passes that the lanes of `mask` need for `bytes` bytes each.
///
/// Lanes that want more than a word are served in groups: 16 lanes at a time for 8 bytes, 8 lanes for 16.
#[inline(always)]
pub fn conflicts(at: &Wide, mask: u32, bytes: u64) -> u64 {
    let words = (bytes / WORD_BYTES).max(1) as usize;
    let lanes_at_once = WARP_SIZE / words;
    (0..words)
        .map(|group| {
            let lanes = (u32::MAX >> (WARP_SIZE - lanes_at_once)) << (group * lanes_at_once);
            passes(at, mask & lanes, words as u64).saturating_sub(1)
        })
        .sum()
}

/// The passes for one group of lanes: the most different words that one bank must serve.
fn passes(at: &Wide, mask: u32, words: u64) -> u64 {
    let mut banks_used = 0u32;
    let mut wanted = [0u64; WARP_SIZE];
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
    let mut last = None;
    for &word in words.iter() {
        if last != Some(word) {
            in_bank[(word % BANKS) as usize] += 1;
        }
        last = Some(word);
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
    fn conflicts_are_extra_passes() {
        assert_eq!(conflicts(&strided(0, 4), u32::MAX, 4), 0);
        assert_eq!(conflicts(&strided(0, 0), u32::MAX, 4), 0, "one word is broadcast");
        assert_eq!(conflicts(&strided(0, 8), u32::MAX, 4), 1);
        assert_eq!(conflicts(&strided(0, 128), u32::MAX, 4), 31);
        assert_eq!(conflicts(&strided(0, 132), u32::MAX, 4), 0);
        assert_eq!(conflicts(&strided(0, 8), u32::MAX, 8), 0);
        assert_eq!(conflicts(&strided(0, 16), u32::MAX, 16), 0);
        assert_eq!(conflicts(&strided(0, 1), u32::MAX, 1), 0);
        assert_eq!(conflicts(&strided(0, 128), 0b11, 4), 1);
    }
}
