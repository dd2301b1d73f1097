//! Why a launch or a request for memory cannot be carried out.
//!
//! A text that cannot be read has an error type of its own, [`crate::ptx::Error`]. What a kernel does wrong is not an
//! error but a fault in the report.

use crate::launch::{Dim3, MAX_BLOCK_THREADS, MAX_CLUSTER_BLOCKS, MAX_GRID, MAX_SHARED_BYTES};
use crate::ptx;

/// Why a launch could not be carried out. Memory, variables and output are as they were before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The module was loaded by another emulator, or after the snapshot to which this emulator was restored. Its
    /// variables are not in this emulator's memory.
    #[error(
        "`{module}` is not loaded in this emulator: load it with the emulator that launches it, and before taking a snapshot"
    )]
    ForeignModule {
        /// The name of the module.
        module: String,
    },
    /// The module has no kernel with this name.
    #[error("`{module}` has no kernel `{kernel}`; it has {}", names(known))]
    UnknownKernel {
        /// The name of the module.
        module: String,
        /// The requested kernel.
        kernel: String,
        /// The kernels that the module has.
        known: Vec<String>,
    },
    /// A grid without blocks, or a block without threads.
    #[error("a launch needs at least one block of one thread, but the grid is {grid} and the block {block}")]
    Empty {
        /// Blocks in the grid.
        grid: Dim3,
        /// Threads in a block.
        block: Dim3,
    },
    /// More threads in a block than any GPU allows.
    #[error("a block may have at most {MAX_BLOCK_THREADS} threads and at most 64 in z; this one is {block}")]
    BlockTooLarge {
        /// Threads in a block.
        block: Dim3,
    },
    /// More blocks than any GPU allows.
    #[error("a grid may be at most {MAX_GRID}; this one is {grid}")]
    GridTooLarge {
        /// Blocks in the grid.
        grid: Dim3,
    },
    /// More threads in a block than the kernel was compiled for (`.maxntid`).
    #[error("`{kernel}` was compiled for blocks of at most {most} threads, not {threads}")]
    TooManyThreads {
        /// The kernel.
        kernel: String,
        /// The most threads that it was compiled for.
        most: u64,
        /// The threads of a block in the launch.
        threads: u64,
    },
    /// A block of another shape than the kernel was compiled for (`.reqntid`).
    #[error("`{kernel}` was compiled for blocks of {required:?} threads, not {block}")]
    OtherShape {
        /// The kernel.
        kernel: String,
        /// The shape that it was compiled for.
        required: Vec<u32>,
        /// The shape of a block in the launch.
        block: Dim3,
    },
    /// A cluster without blocks, or with more than every GPU with clusters allows.
    #[error(
        "a cluster may have 1 to {MAX_CLUSTER_BLOCKS} blocks, the size that is portable; this one is {cluster}"
    )]
    ClusterSize {
        /// Blocks in a cluster.
        cluster: Dim3,
    },
    /// A grid that does not consist of whole clusters.
    #[error(
        "the grid {grid} does not consist of clusters of {cluster} blocks: launch a multiple in each dimension"
    )]
    PartialCluster {
        /// Blocks in the grid.
        grid: Dim3,
        /// Blocks in a cluster.
        cluster: Dim3,
    },
    /// A cluster of several blocks on a target that has no clusters.
    #[error("clusters need a kernel for sm_90 or above, and `{kernel}` was compiled for sm_{sm}")]
    ClusterTarget {
        /// The kernel.
        kernel: String,
        /// The target that it was compiled for.
        sm: u32,
    },
    /// A cluster of another shape than the kernel was compiled for (`.reqnctapercluster`).
    #[error("`{kernel}` was compiled for clusters of {required} blocks, not {cluster}")]
    OtherCluster {
        /// The kernel.
        kernel: String,
        /// The shape that it was compiled for.
        required: Dim3,
        /// Blocks in a cluster of the launch.
        cluster: Dim3,
    },
    /// More blocks in a cluster than the kernel was compiled for (`.maxclusterrank`).
    #[error("`{kernel}` was compiled for clusters of at most {most} blocks, not {cluster}")]
    ClusterRank {
        /// The kernel.
        kernel: String,
        /// The most blocks that it was compiled for.
        most: u64,
        /// Blocks in a cluster of the launch.
        cluster: Dim3,
    },
    /// More shared memory in a block than any GPU has.
    #[error("a block may have at most {MAX_SHARED_BYTES} bytes of shared memory; this one needs {bytes}")]
    SharedMemory {
        /// Bytes that a block needs, static and dynamic together.
        bytes: u64,
    },
    /// More registers or local memory than the emulator provides for all resident blocks together.
    #[error(
        "the resident {holders} need {bytes} bytes of {memory}, and at most {most} are available; launch smaller \
         blocks, or make fewer blocks resident",
        holders = if *memory == "registers" { "warps" } else { "threads" }
    )]
    TooManyResident {
        /// `registers` or `local memory`.
        memory: &'static str,
        /// Bytes that are needed.
        bytes: u64,
        /// Bytes that there are.
        most: u64,
    },
    /// A number of arguments that differs from the number of parameters.
    #[error("`{kernel}` takes {wanted} arguments, not {given}")]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// The number of its parameters.
        wanted: usize,
        /// The number of arguments.
        given: usize,
    },
    /// An argument whose size differs from that of its parameter.
    #[error("argument {index} of `{kernel}` has {wanted} bytes, not {given}")]
    ArgumentSize {
        /// The kernel.
        kernel: String,
        /// Which argument, counted from 0.
        index: usize,
        /// Bytes of the parameter.
        wanted: u64,
        /// Bytes of the argument.
        given: u64,
    },
    /// The kernel executed an instruction that is not supported.
    #[error("`{module}`, {error}")]
    Unsupported {
        /// The name of the module.
        module: String,
        /// The instruction, and why it is not supported. The message above contains this one.
        #[source]
        error: ptx::Error,
    },
}

fn names(kernels: &[String]) -> String {
    kernels.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl LaunchError {
    /// Whether it is about the size of clusters, for which CUDA has an error of its own.
    pub fn is_about_clusters(&self) -> bool {
        use LaunchError::{ClusterRank, ClusterSize, ClusterTarget, OtherCluster, PartialCluster};
        matches!(
            self,
            ClusterRank { .. }
                | ClusterSize { .. }
                | ClusterTarget { .. }
                | OtherCluster { .. }
                | PartialCluster { .. }
        )
    }
}

/// Why a request for memory could not be carried out. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// Not enough memory is left.
    #[error("`{name}` does not fit into memory: {wanted} bytes were requested, and {left} are left")]
    OutOfMemory {
        /// The name of the requested allocation.
        name: String,
        /// The bytes that were requested.
        wanted: u64,
        /// Bytes that are left.
        left: u64,
    },
    /// There are as many allocations as there can be.
    #[error(
        "there is no number left for `{name}`: at most {most} allocations are kept: free those that are not needed"
    )]
    TooManyAllocations {
        /// The name of the requested allocation.
        name: String,
        /// How many there can be.
        most: usize,
    },
    /// The buffer is not in this emulator's memory. Another emulator allocated it, or this one did after the snapshot
    /// to which it was restored.
    #[error(
        "this buffer of {bytes} bytes is not in this emulator's memory: use it with the emulator that allocated it, and \
         allocate it before taking a snapshot"
    )]
    ForeignBuffer {
        /// Bytes of the buffer.
        bytes: u64,
    },
    /// The buffer has been freed.
    #[error("`{name}` has been freed: free it after its last use")]
    Freed {
        /// The name of the allocation.
        name: String,
    },
    /// The host has too little memory for the contents of a snapshot.
    #[error("there is no room for a snapshot of {bytes} bytes: free buffers, or drop older snapshots")]
    NoRoomForSnapshot {
        /// The bytes of all allocations in the snapshot.
        bytes: u64,
    },
}
