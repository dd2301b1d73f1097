//! Elements at equal distances that an instruction accesses, and the bits that represent their bytes.

use super::written::words_of;

/// Aligned elements of equal size at equal distances.
#[derive(Clone, Copy, Debug)]
pub struct Elements {
    /// The offset of the first element.
    pub offset: usize,
    /// The size of each element: 1, 2, 4, 8 or 16 bytes.
    pub bytes: usize,
    /// The distance from the start of one element to the start of the next.
    pub step: usize,
    /// The number of elements.
    pub count: usize,
}

impl Elements {
    /// The number of bytes from the start of the first element to the end of the last.
    pub fn length(&self) -> usize {
        (self.count - 1) * self.step + self.bytes
    }

    /// The 64-bit words, with one bit for each byte, in which these elements have bits, and those bits. A word may
    /// occur more than once.
    #[inline(always)]
    pub fn words(self) -> impl Iterator<Item = (usize, u64)> {
        let Elements { offset, bytes, step, count } = self;
        let (range, pattern) = match self.pattern() {
            Some(pattern) => (offset..offset + self.length(), pattern),
            None => (0..0, 0),
        };
        let others = if pattern == 0 { count } else { 0 };
        let each = move |number| words_of(&(offset + number * step..offset + number * step + bytes));
        words_of(&range).map(move |(word, bits)| (word, bits & pattern)).chain((0..others).flat_map(each))
    }

    /// The bits of these elements in each word, if they are the same in every word. An aligned element never crosses
    /// from one word to the next.
    fn pattern(&self) -> Option<u64> {
        let Elements { offset, bytes, step, .. } = *self;
        if !step.is_power_of_two() || step > 64 || step < bytes {
            return None;
        }
        let every = u64::MAX / (u64::MAX >> (64 - step));
        Some((every * (u64::MAX >> (64 - bytes))).rotate_left((offset % step) as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_those_of_each_element() {
        for bytes in [1, 2, 4, 8, 16] {
            for step in (0..200).step_by(bytes) {
                for (start, count) in [(0, 1), (1, 2), (3, 7), (5, 40)] {
                    let elements = Elements { offset: start * bytes, bytes, step, count };
                    let mut found = [0_u64; 200];
                    elements.words().for_each(|(word, bits)| found[word] |= bits);
                    let mut wanted = [0_u64; 200];
                    for number in 0..count {
                        let first = start * bytes + number * step;
                        (first..first + bytes).for_each(|byte| wanted[byte / 64] |= 1 << (byte % 64));
                    }
                    assert_eq!(found, wanted, "{elements:?}");
                }
            }
        }
    }
}
