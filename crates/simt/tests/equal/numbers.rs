//! Random numbers from one seed, the same on every machine: `splitmix64`.

/// The generator.
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        (self.bits() >> 11) % bound
    }

    /// Returns true in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of the choices; a choice that is listed twice is twice as likely.
    pub fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize].clone()
    }
}
