//! Which bytes of a memory have been written: one bit for each byte.
//!
//! It is stored beside the bytes themselves because it lives as long as they do: for an allocation from launch to
//! launch, for shared memory as long as the block. The checker of initialisation decides what to report about it.

use std::ops::Range;

/// A bitmap that says of each byte of a memory whether it has been written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    words: Vec<u64>,
    bytes: usize,
}

impl Written {
    /// A bitmap for `bytes` bytes, none of which has been written.
    pub fn nothing(bytes: usize) -> Written {
        Written { words: vec![0; bytes.div_ceil(64)], bytes }
    }

    /// Starts over with `bytes` bytes, none of which has been written, and reuses the allocation.
    pub fn restart(&mut self, bytes: usize) {
        self.bytes = bytes;
        self.words.clear();
        self.words.resize(bytes.div_ceil(64), 0);
    }

    /// The number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether all bytes have been written.
    pub fn is_complete(&self) -> bool {
        self.first_missing(0..self.bytes).is_none()
    }

    /// Marks the bytes of `range` as written.
    #[inline]
    pub fn set(&mut self, range: Range<usize>) {
        for (word, bits) in words_of(&range) {
            self.words[word] |= bits;
        }
    }

    /// Marks the bytes of `range` as not written.
    pub fn clear(&mut self, range: Range<usize>) {
        for (word, bits) in words_of(&range) {
            self.words[word] &= !bits;
        }
    }

    /// Marks the bytes that are marked in another bitmap of the same size.
    pub fn add(&mut self, other: &Written) {
        for (word, bits) in self.words.iter_mut().zip(&other.words) {
            *word |= bits;
        }
    }

    /// Whether all bytes of `range` have been written.
    #[inline]
    pub fn has(&self, range: Range<usize>) -> bool {
        words_of(&range).all(|(word, bits)| self.words[word] & bits == bits)
    }

    /// The first run of bytes in `range` that have not been written, if there is one.
    pub fn missing(&self, range: Range<usize>) -> Option<Range<usize>> {
        let first = self.first_missing(range.clone())?;
        let is_written = |&byte: &usize| self.words[byte / 64] >> (byte % 64) & 1 != 0;
        let end = (first..range.end).find(is_written).unwrap_or(range.end);
        Some(first..end)
    }

    fn first_missing(&self, range: Range<usize>) -> Option<usize> {
        words_of(&range).find_map(|(word, bits)| {
            let missing = bits & !self.words[word];
            (missing != 0).then(|| word * 64 + missing.trailing_zeros() as usize)
        })
    }
}

/// The words that contain the bits of a range, and the bits of the range in each.
#[inline]
pub(super) fn words_of(range: &Range<usize>) -> impl Iterator<Item = (usize, u64)> + use<> {
    let Range { start, end } = *range;
    let first_word = start / 64;
    let end_word = if start < end { end.div_ceil(64) } else { first_word };
    (first_word..end_word).map(move |word| {
        let first = start.max(word * 64) % 64;
        let count = end.min(word * 64 + 64) - (word * 64 + first);
        (word, u64::MAX >> (64 - count) << first)
    })
}

/// The bits of a word, lowest first.
#[inline(always)]
pub(super) fn bits_of(word: u64) -> impl Iterator<Item = usize> {
    let mut left = word;
    std::iter::from_fn(move || {
        let bit = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (bit < u64::BITS).then_some(bit as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_every_place_and_length_are_exact() {
        for start in [0, 1, 31, 63, 64, 65, 127, 128] {
            for count in [1, 2, 4, 8, 63, 64, 65, 128, 129] {
                let mut written = Written::nothing(300);
                let range = start..start + count;
                written.set(range.clone());
                assert!(written.has(range.clone()), "{range:?}");
                assert_eq!(written.missing(0..300), Some(if start == 0 { count..300 } else { 0..start }));
                assert_eq!(written.missing(start..300), Some(range.end..300));
                let found: Vec<bool> = (0..300).map(|byte| written.has(byte..byte + 1)).collect();
                let expected: Vec<bool> = (0..300).map(|byte| range.contains(&byte)).collect();
                assert_eq!(found, expected, "{range:?}");
                written.set(0..300);
                written.clear(range.clone());
                assert_eq!(written.missing(0..300), Some(range.clone()));
            }
        }
    }

    #[test]
    fn it_is_complete_when_the_last_byte_is_written() {
        let mut written = Written::nothing(130);
        assert!(!written.is_complete() && Written::nothing(0).is_complete());
        written.set(0..129);
        assert!(!written.is_complete());
        written.set(129..130);
        assert!(written.is_complete());
        written.restart(130);
        assert_eq!(written.missing(0..130), Some(0..130));
    }
}
