//! Pools of memory: those that the device and the host have, and those that the program makes.
//!
//! Specification: CUDA Driver API, "Stream Ordered Memory Allocator". A pool says where its memory is and who can use it, and all
//! take from the memory of the device. What steers when a pool gives memory back is kept and changes nothing.

use std::collections::BTreeMap;

use super::held::Handle;
use crate::device::Owner;

/// What a pool has memory of. The default pool of each has the number of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Device,
    Host,
    Managed,
}

pub(super) const KINDS: [Kind; 3] = [Kind::Device, Kind::Host, Kind::Managed];

impl Kind {
    /// By `CUmemLocation`, whose type is the lower half, and `CUmemAllocationType`.
    pub fn of(location: u64, allocation: u64) -> Option<Kind> {
        let (place, number) = (location & 0xffff_ffff, location >> 32);
        match (place, allocation & 0xffff_ffff) {
            (1, 1 | 2) if number != 0 => None,
            (1, 1) => Some(Kind::Device),
            (2..=4, 1) => Some(Kind::Host),
            (0..=4, 2) => Some(Kind::Managed),
            _ => None,
        }
    }

    pub fn default_pool(self) -> u64 {
        Handle::Pool.make(self as usize)
    }

    pub fn owner(self) -> Owner {
        match self {
            Kind::Device => Owner::Device,
            Kind::Host => Owner::Pooled,
            Kind::Managed => Owner::Managed,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Pool {
    pub kind: Kind,
    /// The attributes that the program can set, 1 to 4: three ways to use freed memory again, and how much is kept.
    pub set: [u64; 4],
}

impl Pool {
    pub fn new(kind: Kind) -> Pool {
        Pool { kind, set: [1, 1, 1, 0] }
    }
}

/// The pools of a process.
#[derive(Debug)]
pub(super) struct Pools {
    pub known: BTreeMap<u64, Pool>,
    pub made: usize,
    /// For each kind the pool from which memory is taken if the program names none.
    pub current: [u64; KINDS.len()],
}

impl Pools {
    pub fn new() -> Pools {
        let known = KINDS.map(|kind| (kind.default_pool(), Pool::new(kind))).into();
        Pools { known, made: KINDS.len(), current: KINDS.map(Kind::default_pool) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_and_an_allocation_have_a_kind_of_pool() {
        let of = |place: u64, number: u64, allocation: u64| Kind::of(place | number << 32, allocation);
        assert_eq!((of(1, 0, 1), of(1, 1, 1), of(1, 1, 2)), (Some(Kind::Device), None, None));
        assert_eq!((of(2, 0, 1), of(3, 1, 1), of(0, 0, 1)), (Some(Kind::Host), Some(Kind::Host), None));
        assert_eq!((of(0, 0, 2), of(1, 0, 2), of(5, 0, 2)), (Some(Kind::Managed), Some(Kind::Managed), None));
    }
}
