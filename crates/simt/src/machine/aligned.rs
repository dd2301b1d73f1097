//! Columns that start at a cache line, so that no vector of a register lies across two lines. A processor takes twice as long for
//! one that does.

use std::ops::{Deref, DerefMut};

use super::file::Column;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Columns one after the other, the first of which starts at a cache line. Those of a clone may start anywhere.
#[derive(Clone, Debug, Default)]
pub struct Aligned<T: Column> {
    lanes: Vec<T::Lane>,
    /// Lanes before the first column.
    start: usize,
}

impl<T: Column> Aligned<T> {
    /// Has at least so many columns.
    pub fn grow(&mut self, count: usize) {
        if count <= self.len() {
            return;
        }
        let padding = LINE / size_of::<T::Lane>();
        let mut lanes = vec![T::Lane::default(); count * size_of::<T>() / size_of::<T::Lane>() + padding];
        let start = lanes.as_ptr().align_offset(LINE).min(padding);
        let known = &self.lanes[self.start..];
        lanes[start..][..known.len()].copy_from_slice(known);
        *self = Aligned { lanes, start };
    }
}

impl<T: Column> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        T::of_lanes(&self.lanes[self.start..])
    }
}

impl<T: Column> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        T::of_lanes_mut(&mut self.lanes[self.start..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::registers::Narrow;

    #[test]
    fn columns_start_at_a_cache_line_and_keep_what_they_hold_when_there_are_more() {
        let mut columns = Aligned::<Narrow>::default();
        for count in [1, 5, 4, 300] {
            let known = columns.to_vec();
            columns.grow(count);
            assert!(columns.len() >= count);
            assert_eq!(columns[..known.len()], known);
            assert!(columns.as_ptr().addr().is_multiple_of(LINE));
            columns.fill([count as u32; 32]);
        }
    }
}
