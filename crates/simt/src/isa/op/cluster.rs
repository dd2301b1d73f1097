//! Decoded instructions about the cluster of a block: its barrier, and addresses in the shared memory of its blocks.

use crate::machine::global::Window;
use crate::order::Order;

/// An instruction at the barrier of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterBarrier {
    /// Whether it waits; otherwise it arrives.
    pub waits: bool,
    /// Its memory order.
    pub order: Order,
    /// Whether all lanes of a warp must execute the same instruction.
    pub aligned: bool,
}

/// A question about an address in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterAddress {
    /// `mapa`: the address of the same byte in the block whose rank is `args.b`.
    Map,
    /// `getctarank`: the rank of the block to which an address belongs.
    Rank,
}

/// The number of address bits below those that name another block of the cluster.
pub const RANK_SHIFT: u32 = 24;

/// The part of a shared address that names a block, as an offset: 0 where it is the block that uses the address.
pub const fn part_of_rank(rank: u64) -> u64 {
    (rank + 1) << RANK_SHIFT
}

/// The rank that a shared address names; `None` where it is an address in the block that uses it.
pub const fn named_rank(offset: u64) -> Option<u64> {
    (offset >> RANK_SHIFT).checked_sub(1)
}

impl ClusterAddress {
    /// What it returns for an address of the block with rank `own`, shared or generic, and an operand.
    ///
    /// A block names itself by nothing, so that mapping an address of its own to itself changes nothing.
    pub fn answer(self, address: u64, operand: u32, own: u64) -> u64 {
        let window = if Window::of(address) == Some(Window::Shared) { Window::Shared.base() } else { 0 };
        let offset = address - window;
        match self {
            ClusterAddress::Rank => named_rank(offset).unwrap_or(own),
            ClusterAddress::Map => {
                let rank = u64::from(operand);
                let part = if rank == own { 0 } else { part_of_rank(rank.min(MOST_RANK)) };
                window + part + (offset & ((1 << RANK_SHIFT) - 1))
            }
        }
    }
}

/// No rank is as large: a larger one that is asked for is named as this one.
const MOST_RANK: u64 = 0xfe;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_mapped_to_the_same_byte_of_another_block() {
        let map = |address, rank| ClusterAddress::Map.answer(address, rank, 2);
        let rank = |address| ClusterAddress::Rank.answer(address, 0, 2);
        let generic = Window::Shared.base() + 0x40;
        for address in [0x40, generic] {
            assert_eq!(map(address, 2), address);
            assert_eq!(rank(address), 2);
            for other in [0, 1, 3, 7] {
                let there = map(address, other);
                assert_eq!((there - address, rank(there)), (part_of_rank(other.into()), other.into()));
                assert_eq!(map(there, 2), address);
                assert_eq!(map(there, 5), map(address, 5));
            }
        }
        assert_eq!(rank(map(0x40, 1000)), MOST_RANK);
        assert!(u32::try_from(map(0x40, u32::MAX)).is_ok());
    }
}
