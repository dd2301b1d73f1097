//! The barrier of a cluster of blocks: how many of its threads have yet to arrive. Which lanes have arrived is known to their
//! warps ([`super::block::Warp`]).

use crate::launch::MAX_CLUSTER_BLOCKS;

/// The barrier of a resident cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterState {
    /// How many phases have been completed.
    pub phase: u64,
    /// By rank, the threads that have neither ended nor arrived in this phase.
    pub missing: [u32; MAX_CLUSTER_BLOCKS as usize],
    /// By rank, the threads that have not ended.
    pub live: [u32; MAX_CLUSTER_BLOCKS as usize],
}
