//! What the device says of itself.
//!
//! Specification: CUDA Driver API, `CUdevice_attribute`. The device is the one that `cudaGetDeviceProperties` describes for
//! programs of the runtime, but for its compute capability, which the caller chooses.

use crate::resident::{Room, SHARED_BYTES};

/// Its name.
pub(super) const NAME: &str = "Thirty-Two Lanes";

/// Its address on a bus that does not exist.
pub(super) const BUS: &str = "0000:32:00.0";

/// The number that no other device has.
pub(super) const UUID: &[u8; 16] = b"thirty-two lanes";

const KIB: u64 = 1 << 10;

/// The attributes that are not 0, by their numbers.
const VALUES: &[(u64, u64)] = &[
    // Threads of a block; the block and the grid in x, y and z.
    (1, 1024),
    (2, 1024),
    (3, 1024),
    (4, 64),
    (5, 0x7fff_ffff),
    (6, 65535),
    (7, 65535),
    // Shared memory of a block, constant memory, lanes of a warp, the pitch of a copy, registers of a block.
    (8, SHARED_BYTES),
    (9, 64 * KIB),
    (10, 32),
    (11, 0x7fff_ffff),
    (12, 64 * KIB),
    // The clock in kHz, alignment of textures, copies beside kernels, multiprocessors.
    (13, 1_000_000),
    (14, 512),
    (15, 1),
    (16, 80),
    // Mapped memory of the host.
    (19, 1),
    // Kernels at the same time.
    (31, 1),
    // The bus: its number.
    (33, 0x32),
    // The clock of the memory in kHz, its width in bits, the L2 cache, threads of a multiprocessor.
    (36, 1_000_000),
    (37, 1024),
    (38, 6144 * KIB),
    (39, 2048),
    // Copies at the same time, one address space, alignment of surfaces and of the pitch of textures.
    (40, 2),
    (41, 1),
    (51, 32),
    (30, 512),
    // Priorities of streams, caches of global and local memory.
    (78, 1),
    (79, 1),
    (80, 1),
    // Registers of a multiprocessor, managed memory.
    (82, 64 * KIB),
    (83, 1),
    // Single precision is as fast as double precision: the emulator has no such difference.
    (87, 1),
    // Managed memory is used by both at the same time, kernels can be stopped, cooperative launches.
    (89, 1),
    (90, 1),
    (91, 1),
    (95, 1),
    // Blocks of a multiprocessor, pools of memory of the device and of the host.
    (106, 32),
    (115, 1),
    (144, 1),
];

/// The largest number of an attribute of CUDA 12.9, and one of CUDA 13, whose functions for pools are here too.
const LAST: u64 = 144;

/// The value of an attribute of a device of a compute capability, 80 for 8.0; nothing if there is no such attribute.
pub(super) fn value(attribute: u64, capability: u32) -> Option<u64> {
    match attribute {
        75 => Some(u64::from(capability / 10)),
        76 => Some(u64::from(capability % 10)),
        // Shared memory of a multiprocessor, and what a block may have of it if it asks.
        81 | 97 => Some(Room::of_capability(capability).shared_bytes),
        1..=LAST => Some(VALUES.iter().find(|(known, _)| *known == attribute).map_or(0, |(_, value)| *value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_given_by_number() {
        assert_eq!([10, 75, 76, 97].map(|nth| value(nth, 86)), [Some(32), Some(8), Some(6), Some(99 << 10)]);
        assert_eq!((value(0, 80), value(LAST + 1, 80), value(18, 80)), (None, None, Some(0)));
    }
}
