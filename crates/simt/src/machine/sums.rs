//! Reductions whose results nobody reads, and the sums that they make up where their order does not matter.

use super::fork::PAGE_BYTES;

/// A reduction whose result nobody reads.
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    /// Its kind: two reductions with the same number are the same operation.
    pub number: u8,
    /// Bytes of the value, 4 or 8.
    pub bytes: u8,
    /// Whether what it leaves depends on the order.
    pub in_order: bool,
    /// The new value from the old one and the operand; the third argument is not used.
    pub update: fn(u64, u64, u64) -> u64,
}

impl Reduction {
    /// Reduces the value at the beginning of some bytes.
    pub(super) fn apply(&self, data: &mut [u8], operand: u64) {
        let place = &mut data[..usize::from(self.bytes)];
        let new = (self.update)(value_of(place), operand, operand);
        place.copy_from_slice(&new.to_le_bytes()[..place.len()]);
    }
}

/// The sums that reductions have made up for a page.
#[derive(Clone, Debug)]
pub struct Sums {
    values: [u8; PAGE_BYTES],
    /// The reduction that each word of 4 bytes is part of.
    what: [Option<Reduction>; PAGE_BYTES / 4],
}

impl Sums {
    pub fn new() -> Box<Sums> {
        Box::new(Sums { values: [0; PAGE_BYTES], what: [None; PAGE_BYTES / 4] })
    }

    /// Which bytes of a word of 64 are part of a sum, one bit for each.
    pub fn word(&self, word: usize) -> u64 {
        let parts = self.what[word * 16..][..16].iter().enumerate();
        parts.filter(|(_, what)| what.is_some()).fold(0, |bits, (part, _)| bits | 0xf << (part * 4))
    }

    /// Adds an operand to the sum of an element, unless the order matters. Returns whether all bytes of the element are part of
    /// one sum of this kind.
    pub fn add(&mut self, start: usize, reduction: Reduction, operand: u64) -> bool {
        let range = start..start + usize::from(reduction.bytes);
        let what = &mut self.what[range.start / 4..range.end / 4];
        let is_new = what.iter().all(Option::is_none);
        if !is_new && what[0].is_none_or(|known| known.number != reduction.number) {
            return false;
        }
        what.fill(Some(reduction));
        if reduction.in_order {
            return true;
        }
        let place = &mut self.values[range];
        if is_new {
            place.copy_from_slice(&operand.to_le_bytes()[..place.len()]);
        } else {
            reduction.apply(place, operand);
        }
        true
    }

    /// Whether the bytes that are part of sums in both pages are part of the same kind of sums.
    pub fn is_like(&self, other: &Sums) -> bool {
        let number = |what: &Option<Reduction>| what.map(|reduction| reduction.number);
        let mut pairs = self.what.iter().map(number).zip(other.what.iter().map(number));
        pairs.all(|(one, other)| one.is_none() || other.is_none() || one == other)
    }

    /// Adds the sums to the values in memory.
    pub fn apply(&self, data: &mut [u8]) {
        let mut start = 0;
        while start < data.len() {
            let Some(reduction) = self.what[start / 4] else {
                start += 4;
                continue;
            };
            let range = start..start + usize::from(reduction.bytes);
            start = range.end;
            if reduction.in_order {
                continue;
            }
            let sum = value_of(&self.values[range.clone()]);
            reduction.apply(&mut data[range], sum);
        }
    }
}

/// The value of 4 or 8 bytes.
pub(super) fn value_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}
