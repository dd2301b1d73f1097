//! Random choices that are derived from a seed.
//!
//! [`thirty_two_lanes::Random`] returns the numbers; here they become choices. The odds of a choice are not exact, because a
//! remainder is good enough for this purpose.

use thirty_two_lanes::Random;

/// A sequence of choices.
#[derive(Clone, Debug)]
pub struct Dice(Random);

impl Dice {
    /// The choices of a seed for one purpose. The choices for two purposes of one seed are independent.
    pub fn new(seed: u64, purpose: u64) -> Dice {
        // A sequence advances by equal steps, which are the same for all seeds. The seed is mixed before it becomes the
        // start, because otherwise the sequences of two seeds that are one step apart would be the same.
        let mut mixed = Dice(Random::new(seed));
        let begin = mixed.bits();
        Dice(Random::new(begin ^ purpose.wrapping_mul(mixed.bits() | 1)))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        u64::from(self.0.next_u32()) << 32 | u64::from(self.0.next_u32())
    }

    /// A number below `end`, which must not be 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.next_u32() as usize % end
    }

    /// Returns true in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items.
    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }

    /// One of the items, chosen by their weights.
    pub fn weighted<T: Copy>(&mut self, items: &[(usize, T)]) -> T {
        let mut left = self.below(items.iter().map(|(weight, _)| weight).sum());
        for &(weight, item) in items {
            if left < weight {
                return item;
            }
            left -= weight;
        }
        unreachable!("what is left is below the sum of the weights")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn seeds_and_purposes_have_different_sequences() {
        let mut seen = BTreeSet::new();
        for (seed, purpose) in (0..100).flat_map(|seed| (1..4).map(move |purpose| (seed, purpose))) {
            let mut dice = Dice::new(seed, purpose);
            assert!((0..1000).all(|_| seen.insert(dice.bits())), "seed {seed}, purpose {purpose}");
        }
    }
}
