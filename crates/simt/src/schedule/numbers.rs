//! Numbers drawn from a seed: the same ones for the same seed, on every platform.
//!
//! The generator is `xorshift64*`, which needs a word of state and no crate. It is for choices that the hardware leaves
//! open, not for statistics.

/// The generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator that starts from a seed.
    pub fn new(seed: u64) -> Random {
        // The state must not be zero, and neighbouring seeds should not begin with similar numbers.
        Random((seed ^ 0x5851_f42d_4c95_7f2d).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound
    }

    /// Shuffles a list: the algorithm of Fisher and Yates.
    pub fn shuffle(&mut self, order: &mut [usize]) {
        for last in (1..order.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            order.swap(last, other);
        }
    }
}
