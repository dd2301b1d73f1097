//! What fits on a multiprocessor of an H200, calculated as in the occupancy table of the programming guide.
//!
//! A block becomes resident when there is space for all of it: for its warps, its shared memory and its registers. It
//! leaves out barriers, because there are more of them than any kernel here needs.

/// Multiprocessors of an H200.
pub const MULTIPROCESSORS: usize = 132;
/// The largest number of resident warps.
pub const WARPS: u32 = 64;
/// The schedulers of a multiprocessor, each with a quarter of the warps and of the registers.
pub const SCHEDULERS: u32 = 4;
/// The largest number of resident blocks.
const BLOCKS: u32 = 32;
/// The shared memory for all blocks, and the part of it that the system uses for each block.
const SHARED_BYTES: u32 = 228 << 10;
const SYSTEM_BYTES: u32 = 1 << 10;
/// The registers of a scheduler, and the unit in which a warp gets them.
const REGISTERS: u32 = (64 << 10) / SCHEDULERS;
const REGISTERS_AT_A_TIME: u32 = 256;

/// The number of resident blocks, by the limits on warps, blocks and shared memory.
pub fn resident_blocks(block: u32, shared_bytes: u32) -> u32 {
    let by_warps = WARPS / block.div_ceil(32);
    let by_shared = SHARED_BYTES / (shared_bytes + SYSTEM_BYTES);
    by_warps.min(BLOCKS).min(by_shared)
}

/// The number of warps that fit if each thread uses this many registers.
pub fn warps_by_registers(registers: u32) -> u32 {
    let of_warp = (registers * 32).next_multiple_of(REGISTERS_AT_A_TIME);
    (REGISTERS / of_warp * SCHEDULERS).min(WARPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_reached() {
        assert_eq!(resident_blocks(32, 0), 32);
        assert_eq!(resident_blocks(1024, 0), 2);
        assert_eq!(resident_blocks(768, 0), 2);
        assert_eq!(resident_blocks(256, 0), 8);
        assert_eq!(resident_blocks(256, 56 << 10), 4);
        assert_eq!(resident_blocks(256, 227 << 10), 1);
    }

    #[test]
    fn registers_come_in_steps() {
        let warps = [32, 33, 40, 64, 65, 128, 255].map(warps_by_registers);
        assert_eq!(warps, [64, 48, 48, 32, 28, 16, 8]);
    }
}
