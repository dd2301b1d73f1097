//! Random numbers derived from a seed, for random programs.
//!
//! `xorshift64*`, as in the schedules; any generator that needs no crate would do. Statistical quality does not matter.
//! Specification: none.

/// The generator.
pub struct Numbers(u64);

impl Numbers {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Numbers {
        Numbers((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    /// Returns true once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of the items.
    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}
