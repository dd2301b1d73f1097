//! Families of instructions that only some kernels have, on request: asynchronous copies, bulk copies, clusters and
//! matrices.
//!
//! A kernel without a family has the statements that it has always had, so that records of a GPU stay comparable. A
//! kernel of a family has many statements of that family among the ordinary ones, and memory for them
//! ([`crate::write`]).

/// The version of PTX of all kernels.
pub const VERSION: (u32, u32) = (8, 7);

/// A family of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Family {
    /// `cp.async` and mbarriers, for `sm_80` and above.
    Copies,
    /// Bulk copies, asynchronous stores and mbarriers with transactions, for `sm_90`.
    Bulk,
    /// Clusters, and what bulk copies and mbarriers do in them, for `sm_90`.
    Clusters,
    /// `mma`, `ldmatrix`, `stmatrix` and `movmatrix`.
    Matrices,
}

/// The title of the emulator's family of asynchronous copies.
pub const COPIES: &str = "Asynchronous copies";
/// The title of the emulator's family of mbarriers.
pub const BARRIERS: &str = "Barriers in memory";
/// The title of the emulator's family of bulk copies.
pub const BULK: &str = "Bulk copies and asynchronous stores";
/// The title of the emulator's family for clusters.
pub const CLUSTERS: &str = "Clusters";
/// The title of the emulator's family of matrix instructions.
pub const MATRICES: &str = "Matrices";

impl Family {
    /// All of them.
    pub const ALL: [Family; 4] = [Family::Copies, Family::Bulk, Family::Clusters, Family::Matrices];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Family::Copies => "copies",
            Family::Bulk => "bulk",
            Family::Clusters => "clusters",
            Family::Matrices => "matrices",
        }
    }

    /// The targets of its kernels, with weights.
    pub(crate) fn targets(self) -> &'static [(usize, u32)] {
        match self {
            Family::Copies => &[(60, 90), (25, 80), (15, 86)],
            Family::Bulk | Family::Clusters => &[(100, 90)],
            Family::Matrices => &[(65, 90), (20, 80), (15, 86)],
        }
    }
}
