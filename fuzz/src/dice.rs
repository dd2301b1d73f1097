//! Choices that a seed decides.
//!
//! [`lanes::Random`] gives the numbers; here they become choices. What it leaves out: any promise that a choice is made
//! with exactly the odds that are asked for, for a remainder is good enough here.

use lanes::Random;

/// A sequence of choices.
#[derive(Clone, Debug)]
pub struct Dice(Random);

impl Dice {
    /// The choices of this seed, for one purpose: two purposes of one seed have nothing in common.
    pub fn new(seed: u64, purpose: u64) -> Dice {
        // A sequence is a walk in equal steps, the same for all seeds. So a seed is mixed before it is where a walk begins, or
        // else neighbouring seeds, which may be such a step apart, would walk the same way.
        let mut mixed = Dice(Random::new(seed));
        let begin = mixed.bits();
        Dice(Random::new(begin ^ purpose.wrapping_mul(mixed.bits() | 1)))
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        u64::from(self.0.next_u32()) << 32 | u64::from(self.0.next_u32())
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.next_u32() as usize % end
    }

    /// Whether something happens that does in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }

    /// One of several, each with its weight.
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
    fn no_seed_and_no_purpose_walks_where_another_has_been() {
        let mut seen = BTreeSet::new();
        for (seed, purpose) in (0..100).flat_map(|seed| (1..4).map(move |purpose| (seed, purpose))) {
            let mut dice = Dice::new(seed, purpose);
            assert!((0..1000).all(|_| seen.insert(dice.bits())), "seed {seed}, purpose {purpose}");
        }
    }
}
