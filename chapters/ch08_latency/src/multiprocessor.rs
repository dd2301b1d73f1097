//! What fits on a multiprocessor of an H200: arithmetic, as in the occupancy table of the programming guide.
//!
//! A block becomes resident when there is room for all of it: for its warps, its shared memory and its
//! registers. It leaves out barriers, of which there are more than any kernel here needs.

/// Multiprocessors of an H200.
pub const MULTIPROCESSORS: usize = 132;
/// Warps that one holds at most.
pub const WARPS: u32 = 64;
/// Schedulers of one, each with a quarter of the warps and of the registers.
pub const SCHEDULERS: u32 = 4;
/// Blocks that one holds at most.
const BLOCKS: u32 = 32;
/// Shared memory for all blocks, and what the system takes of it for each.
const SHARED_BYTES: u32 = 228 << 10;
const SYSTEM_BYTES: u32 = 1 << 10;
/// Registers of a scheduler, and how many a warp takes at a time.
const REGISTERS: u32 = (64 << 10) / SCHEDULERS;
const REGISTERS_AT_A_TIME: u32 = 256;

/// How many blocks are resident, by the limits on warps, blocks and shared memory.
pub fn resident_blocks(block: u32, shared_bytes: u32) -> u32 {
    let by_warps = WARPS / block.div_ceil(32);
    let by_shared = SHARED_BYTES / (shared_bytes + SYSTEM_BYTES);
    by_warps.min(BLOCKS).min(by_shared)
}

/// How many warps have room if each thread takes so many registers.
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
