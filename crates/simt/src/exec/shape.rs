//! Whether a GPU could do a launch: the shape of its grid and its blocks, and what all resident blocks need.

use crate::compile::program::{Code, Program};
use crate::launch::{Launch, LaunchError, MAX_BLOCK_THREADS, MAX_GRID, MAX_SHARED_BYTES};
use crate::machine::local::MAX_RESIDENT_LOCAL_BYTES;
use crate::machine::registers::WARP_SIZE;

/// Registers of all resident warps at most, in bytes: a machine of 32 bits has 4 GiB for everything.
const MAX_RESIDENT_REGISTER_BYTES: u64 = if usize::BITS < 64 { 512 << 20 } else { 2 << 30 };

/// Refuses a launch that no GPU could do.
pub fn check(code: &Code, program: &Program, launch: &Launch) -> Result<(), LaunchError> {
    let (grid, block) = (launch.grid, launch.block);
    if grid.count() == 0 || block.count() == 0 {
        return Err(LaunchError::Empty { grid, block });
    }
    let threads = block.count();
    if threads > MAX_BLOCK_THREADS || block.z > 64 {
        return Err(LaunchError::BlockTooLarge { block });
    }
    if grid.x > MAX_GRID.x || grid.y > MAX_GRID.y || grid.z > MAX_GRID.z {
        return Err(LaunchError::GridTooLarge { grid });
    }
    if let Some(most) = code.max_threads.filter(|&most| threads > most) {
        return Err(LaunchError::TooManyThreads { kernel: code.name.clone(), most, threads });
    }
    let asked = [block.x, block.y, block.z];
    if let Some(required) = &code.required_threads
        && asked.iter().enumerate().any(|(axis, &asked)| *required.get(axis).unwrap_or(&1) != asked)
    {
        return Err(LaunchError::OtherShape { kernel: code.name.clone(), required: required.clone(), block });
    }
    let bytes = program.shared_bytes(code, launch.shared_bytes);
    if bytes > MAX_SHARED_BYTES {
        return Err(LaunchError::SharedMemory { bytes });
    }
    let residents = u64::from(launch.resident_blocks.max(1)).min(grid.count());
    let warps = threads.div_ceil(WARP_SIZE as u64) * residents;
    let within = |memory, bytes: u64, most: u64| {
        (bytes <= most).then_some(()).ok_or(LaunchError::TooManyResident { memory, bytes, most })
    };
    within("registers", code.image.bytes() * warps, MAX_RESIDENT_REGISTER_BYTES)?;
    within("local memory", code.frame_bytes * warps * WARP_SIZE as u64, MAX_RESIDENT_LOCAL_BYTES)
}
