//! Whether a GPU could do a launch: the shape of its grid and its blocks, and what all resident blocks need.

use crate::compile::program::{CLUSTERS_SINCE, Code, Program};
use crate::launch::{
    Dim3, Launch, LaunchError, MAX_BLOCK_THREADS, MAX_CLUSTER_BLOCKS, MAX_GRID, MAX_SHARED_BYTES,
};
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
    check_cluster(code, program, launch)?;
    let bytes = program.shared_bytes(code, launch.shared_bytes);
    if bytes > MAX_SHARED_BYTES {
        return Err(LaunchError::SharedMemory { bytes });
    }
    let residents = launch.residents();
    let warps = threads.div_ceil(WARP_SIZE as u64) * residents;
    let within = |memory, bytes: u64, most: u64| {
        (bytes <= most).then_some(()).ok_or(LaunchError::TooManyResident { memory, bytes, most })
    };
    within("registers", code.image.bytes() * warps, MAX_RESIDENT_REGISTER_BYTES)?;
    within("local memory", code.frame_bytes * warps * WARP_SIZE as u64, MAX_RESIDENT_LOCAL_BYTES)
}

/// The clusters that a kernel requires, where a launch has not said anything about clusters.
pub fn cluster_of(code: &Code, launch: &Launch) -> Option<Dim3> {
    launch.cluster.or(code.clusters.required)
}

/// Refuses clusters that no GPU has, or that the kernel was not compiled for.
fn check_cluster(code: &Code, program: &Program, launch: &Launch) -> Result<(), LaunchError> {
    let (grid, cluster, kernel) = (launch.grid, launch.cluster_size(), || code.name.clone());
    if cluster.count() == 0 || cluster.count() > MAX_CLUSTER_BLOCKS {
        return Err(LaunchError::ClusterSize { cluster });
    }
    if let Some(required) = code.clusters.required.filter(|&required| required != cluster) {
        return Err(LaunchError::OtherCluster { kernel: kernel(), required, cluster });
    }
    if cluster.count() == 1 {
        return Ok(());
    }
    if program.sm < CLUSTERS_SINCE {
        return Err(LaunchError::ClusterTarget { kernel: kernel(), sm: program.sm });
    }
    if let Some(most) = code.clusters.most.filter(|&most| cluster.count() > most) {
        return Err(LaunchError::ClusterRank { kernel: kernel(), most, cluster });
    }
    let is_whole = |grid: u32, cluster: u32| grid.is_multiple_of(cluster);
    if !(is_whole(grid.x, cluster.x) && is_whole(grid.y, cluster.y) && is_whole(grid.z, cluster.z)) {
        return Err(LaunchError::PartialCluster { grid, cluster });
    }
    Ok(())
}
