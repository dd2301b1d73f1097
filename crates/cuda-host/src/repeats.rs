//! Launches that repeat earlier ones: which of them are checked for races.
//!
//! A program that takes a thousand steps launches its kernel a thousand times with the same shape on the same allocations, and
//! a race in it is nearly always in the first launches. So the first of them are checked, and then one at every interval. The
//! other checkers see every launch: they cost little, and what they find often depends on the data.
//!
//! *What it can miss.* A race that only launches have which are not checked. How many those are is in
//! [`Outcome::unchecked`](crate::Outcome::unchecked). *No false alarm* comes of it: the race checker knows nothing of earlier
//! launches, and observes only, so that memory is the same after a launch that it has not seen.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU64;

use simt::Dim3;

use crate::work::Wanted;

/// More kinds of launches are not remembered; then all begin anew, as if none had been checked.
const MOST_KINDS: usize = 1 << 16;

/// Launches of a kernel, and how many of them were not checked for races.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unchecked {
    /// The kernel.
    pub kernel: String,
    /// How many launches were not checked for races.
    pub unchecked: u64,
    /// How many launches of it there were.
    pub launches: u64,
}

/// What launches of one kind have in common. Numbers among the arguments may differ: they often count the steps of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Kind {
    kernel: usize,
    shape: [Dim3; 2],
    cluster: Option<Dim3>,
    shared_bytes: u64,
    is_cooperative: bool,
    /// The allocations that the launch can use.
    blocks: Vec<u64>,
}

/// The launches of a program so far.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    /// How many there were of each kind.
    kinds: HashMap<Kind, u64>,
    /// By kernels: how many there were, and how many of them were not checked.
    of_kernels: BTreeMap<usize, [u64; 2]>,
}

impl Repeats {
    /// Counts a launch, and says whether it is checked for races: the first `interval` of its kind are, and then each whose
    /// number is a multiple of it.
    pub fn is_checked(
        &mut self,
        kernel: usize,
        wanted: &Wanted,
        blocks: &[u64],
        interval: NonZeroU64,
    ) -> bool {
        let kind = Kind {
            kernel,
            shape: [wanted.grid, wanted.block],
            cluster: wanted.cluster,
            shared_bytes: wanted.shared_bytes,
            is_cooperative: wanted.is_cooperative,
            blocks: blocks.to_vec(),
        };
        if self.kinds.len() == MOST_KINDS && !self.kinds.contains_key(&kind) {
            self.kinds.clear();
        }
        let number = self.kinds.entry(kind).or_default();
        *number += 1;
        let is_checked = *number <= interval.get() || number.is_multiple_of(interval.get());
        let [launches, unchecked] = self.of_kernels.entry(kernel).or_default();
        *launches += 1;
        *unchecked += u64::from(!is_checked);
        is_checked
    }

    /// The kernels with launches that were not checked, by their names; kernels of the same name are one.
    pub fn unchecked(&self, name: impl Fn(usize) -> String) -> Vec<Unchecked> {
        let mut of_names: BTreeMap<String, [u64; 2]> = BTreeMap::new();
        for (kernel, [launches, unchecked]) in &self.of_kernels {
            let sums = of_names.entry(name(*kernel)).or_default();
            *sums = [sums[0] + launches, sums[1] + unchecked];
        }
        let told = of_names.into_iter().filter(|(_, [_, unchecked])| *unchecked > 0);
        told.map(|(kernel, [launches, unchecked])| Unchecked { kernel, unchecked, launches }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(block: u32) -> Wanted {
        Wanted {
            grid: 1.into(),
            block: block.into(),
            cluster: None,
            shared_bytes: 0,
            stream: 0,
            args: Vec::new(),
            addresses: Vec::new(),
            is_cooperative: false,
        }
    }

    /// The numbers of the launches that are checked, of so many.
    fn checked(repeats: &mut Repeats, launches: u64, interval: u64) -> Vec<u64> {
        let interval = NonZeroU64::new(interval).unwrap();
        (1..=launches).filter(|_| repeats.is_checked(0, &wanted(32), &[7], interval)).collect()
    }

    #[test]
    fn the_first_are_checked_and_then_one_at_every_interval() {
        assert_eq!(checked(&mut Repeats::default(), 14, 4), [1, 2, 3, 4, 8, 12]);
        assert_eq!(checked(&mut Repeats::default(), 5, 1), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn another_kernel_shape_or_allocation_is_another_kind() {
        let two = NonZeroU64::new(2).unwrap();
        let mut repeats = Repeats::default();
        checked(&mut repeats, 3, 2);
        assert!(!repeats.is_checked(0, &wanted(32), &[7], NonZeroU64::new(3).unwrap()));
        let larger = Wanted { shared_bytes: 4, ..wanted(32) };
        let together = Wanted { is_cooperative: true, ..wanted(32) };
        for (kernel, wanted, block) in
            [(1, wanted(32), 7), (0, wanted(64), 7), (0, wanted(32), 8), (0, larger, 7), (0, together, 7)]
        {
            assert!(repeats.is_checked(kernel, &wanted, &[block], two));
        }
    }

    #[test]
    fn launches_are_counted_by_the_names_of_kernels() {
        let mut repeats = Repeats::default();
        checked(&mut repeats, 9, 4);
        let three = NonZeroU64::new(3).unwrap();
        (0..4).for_each(|_| _ = repeats.is_checked(1, &wanted(32), &[7], three));
        (0..2).for_each(|_| _ = repeats.is_checked(2, &wanted(32), &[7], three));
        let told = |name: &[&str; 3]| {
            let told = repeats.unchecked(|kernel| name[kernel].to_owned());
            told.into_iter().map(|of| (of.kernel, of.unchecked, of.launches)).collect::<Vec<_>>()
        };
        assert_eq!(told(&["b", "a", "c"]), [("a".to_owned(), 1, 4), ("b".to_owned(), 4, 9)]);
        assert_eq!(told(&["same"; 3]), [("same".to_owned(), 5, 15)]);
    }
}
