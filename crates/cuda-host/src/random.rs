//! `rand`, with the sequence of glibc.
//!
//! Written from: the description of the additive feedback generator r(i) = r(i-3) + r(i-31) in glibc's manual of
//! `random`, whose lowest bit is dropped.

/// The generator.
#[derive(Debug)]
pub(crate) struct Random {
    last: [u32; 31],
    at: usize,
}

impl Random {
    /// The generator after `srand`.
    pub fn new(seed: u32) -> Random {
        let mut last = [0u32; 31];
        let mut value = i64::from(if seed == 0 { 1 } else { seed as i32 });
        last[0] = value as u32;
        for number in &mut last[1..] {
            value = (16807 * (value % 127_773) - 2836 * (value / 127_773)) as i32 as i64;
            if value < 0 {
                value += 2_147_483_647;
            }
            *number = value as u32;
        }
        // r(31) to r(33) are r(0) to r(2), which is what the ring holds; the first 310 sums are not returned.
        let mut random = Random { last, at: 3 };
        for _ in 0..310 {
            random.step();
        }
        random
    }

    fn step(&mut self) -> u32 {
        // The ring holds r(i-31) to r(i-1); the oldest one is at `at` once its first three places count as new.
        let (oldest, third) = (self.at % 31, (self.at + 28) % 31);
        let sum = self.last[oldest].wrapping_add(self.last[third]);
        self.last[oldest] = sum;
        self.at = (self.at + 1) % 31;
        sum
    }

    /// A number from 0 to `RAND_MAX`.
    pub fn next(&mut self) -> i32 {
        (self.step() >> 1) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_glibc() {
        let first = |seed| {
            let mut random = Random::new(seed);
            [random.next(), random.next(), random.next()]
        };
        assert_eq!(first(1), [1_804_289_383, 846_930_886, 1_681_692_777]);
        assert_eq!(first(0), first(1));
        assert_eq!(first(42), [71_876_166, 708_592_740, 1_483_128_881]);
    }
}
