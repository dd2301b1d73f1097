//! Pseudo-random numbers for inputs, which are the same on every computer.
//!
//! `SplitMix64` (Steele, Lea and Flood, 2014): ten lines, and good enough for inputs. What it leaves out: uses in which
//! it matters that the next number cannot be guessed.

use std::ops::Range;

/// A sequence of numbers that depends on a seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 32) as u32
    }

    /// A number from `low` up to but not `high`, a multiple of 2⁻²⁴ of the range, so that small ranges are exact.
    pub fn float(&mut self, low: f32, high: f32) -> f32 {
        let unit = (self.next_u32() >> 8) as f32 / (1 << 24) as f32;
        low + unit * (high - low)
    }

    /// An integer from a range that is not empty. It is made from 64 bits, so the probabilities differ by less than the
    /// width of the range divided by 2⁶⁴.
    pub fn between(&mut self, range: &Range<i64>) -> i128 {
        let width = i128::from(range.end) - i128::from(range.start);
        let high = u64::from(self.next_u32()) << 32;
        i128::from(range.start) + i128::from(high | u64::from(self.next_u32())) % width
    }

    /// `n` numbers from [`Random::float`].
    pub fn floats(&mut self, n: usize, low: f32, high: f32) -> Vec<f32> {
        (0..n).map(|_| self.float(low, high)).collect()
    }

    /// `n` words of 32 bits.
    pub fn words(&mut self, n: usize) -> Vec<u32> {
        (0..n).map(|_| self.next_u32()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The first number of seed 1234567 is 6457827717110365317, and its high half is used.
        assert_eq!(u64::from(Random::new(1_234_567).next_u32()), 6_457_827_717_110_365_317 >> 32);
    }

    #[test]
    fn floats_stay_in_their_range() {
        assert!(Random::new(0).floats(1000, -1.0, 1.0).iter().all(|x| (-1.0..1.0).contains(x)));
    }
}
