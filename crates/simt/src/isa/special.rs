//! Special registers: the position of a thread, and what surrounds it.
//!
//! `mov` reads them. What the emulator does not have (a multiprocessor, a clock) is as documented below, and the same
//! in every run. Specification: PTX ISA, section 10.

/// A special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// `%tid`: the thread in its block.
    Tid(Axis),
    /// `%ntid`: threads in a block.
    Ntid(Axis),
    /// `%ctaid`: the block in the grid.
    Ctaid(Axis),
    /// `%nctaid`: blocks in the grid.
    Nctaid(Axis),
    /// `%clusterid`: the cluster in the grid.
    ClusterId(Axis),
    /// `%nclusterid`: clusters in the grid.
    NclusterId(Axis),
    /// `%cluster_ctaid`: the block in its cluster.
    ClusterCtaid(Axis),
    /// `%cluster_nctaid`: blocks in a cluster.
    ClusterNctaid(Axis),
    /// `%cluster_ctarank`: the number of the block in its cluster.
    ClusterRank,
    /// `%cluster_nctarank`: how many blocks are a cluster.
    ClusterBlocks,
    /// `%is_explicit_cluster`: whether the kernel or its launch speaks of clusters, as a predicate.
    IsCluster,
    /// `%laneid`
    LaneId,
    /// `%warpid`: the warp in its block.
    WarpId,
    /// `%nwarpid`: how many warps a multiprocessor can hold, here those of a block.
    NwarpId,
    /// `%lanemask_eq`, `_le`, `_lt`, `_ge`, `_gt`.
    LaneMask(LaneMask),
    /// `%smid`: the multiprocessor, here always 0.
    SmId,
    /// `%nsmid`: how many there are, here 1.
    NsmId,
    /// `%gridid`: a number for each launch, here always 0.
    GridId,
    /// `%clock`, `%clock64`, `%globaltimer`: here the warp instructions that the launch has issued so far.
    Clock,
    /// `%clock_hi`: the upper half of `%clock64`.
    ClockHigh,
    /// `%envreg0` to `%envreg31`: what a driver passes to kernels; here nothing, so 0.
    Environment,
    /// `%tid.w` and its counterparts, which are 0.
    Fourth,
    /// `%dynamic_smem_size`, in bytes.
    DynamicShared,
    /// `%total_smem_size`, in bytes.
    TotalShared,
}

/// A dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The specification's own names.
pub enum Axis {
    X,
    Y,
    Z,
}

/// How a lane compares with the lane itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The specification's own names.
pub enum LaneMask {
    Eq,
    Le,
    Lt,
    Ge,
    Gt,
}

impl LaneMask {
    /// The lanes that compare with `lane` in this way.
    pub fn of(self, lane: u32) -> u32 {
        let own = 1u32 << lane;
        let below = own - 1;
        match self {
            LaneMask::Eq => own,
            LaneMask::Le => below | own,
            LaneMask::Lt => below,
            LaneMask::Ge => !below,
            LaneMask::Gt => !(below | own),
        }
    }
}

/// The only special register that is a predicate, which only `mov.pred` reads.
pub const IS_CLUSTER: &str = "%is_explicit_cluster";

/// The number of an element of a vector, which has two names.
pub fn element(name: &str) -> Option<u8> {
    Some(match name {
        "x" | "r" => 0,
        "y" | "g" => 1,
        "z" | "b" => 2,
        "w" | "a" => 3,
        _ => return None,
    })
}

/// The four elements of a special register that is a vector, for example `%tid`.
pub fn vector(name: &str) -> Option<[Special; 4]> {
    let of = |make: fn(Axis) -> Special| Some([make(Axis::X), make(Axis::Y), make(Axis::Z), Special::Fourth]);
    match name {
        "%tid" => of(Special::Tid),
        "%ntid" => of(Special::Ntid),
        "%ctaid" => of(Special::Ctaid),
        "%nctaid" => of(Special::Nctaid),
        "%clusterid" => of(Special::ClusterId),
        "%nclusterid" => of(Special::NclusterId),
        "%cluster_ctaid" => of(Special::ClusterCtaid),
        "%cluster_nctaid" => of(Special::ClusterNctaid),
        _ => None,
    }
}

/// The widths in bits in which a special register can be read: 16 bits are the lower half of a register of 32.
pub fn widths(name: &str) -> &'static [u32] {
    match name {
        "%clock64" | "%globaltimer" => &[64],
        "%gridid" => &[16, 32, 64],
        _ => &[16, 32],
    }
}

/// The special register of this name, for example `%tid.x`.
pub fn parse(name: &str) -> Option<Special> {
    if let Some((register, dimension)) = name.split_once('.') {
        return Some(vector(register)?[element(dimension)? as usize]);
    }
    let environment = name.strip_prefix("%envreg").and_then(|number| number.parse::<u8>().ok());
    Some(match name {
        _ if environment.is_some_and(|number| number < 32) => Special::Environment,
        "%cluster_ctarank" => Special::ClusterRank,
        "%cluster_nctarank" => Special::ClusterBlocks,
        "%laneid" => Special::LaneId,
        "%warpid" => Special::WarpId,
        "%nwarpid" => Special::NwarpId,
        "%lanemask_eq" => Special::LaneMask(LaneMask::Eq),
        "%lanemask_le" => Special::LaneMask(LaneMask::Le),
        "%lanemask_lt" => Special::LaneMask(LaneMask::Lt),
        "%lanemask_ge" => Special::LaneMask(LaneMask::Ge),
        "%lanemask_gt" => Special::LaneMask(LaneMask::Gt),
        "%smid" => Special::SmId,
        "%nsmid" => Special::NsmId,
        "%gridid" => Special::GridId,
        "%clock" | "%clock64" | "%globaltimer" | "%globaltimer_lo" => Special::Clock,
        "%clock_hi" | "%globaltimer_hi" => Special::ClockHigh,
        "%dynamic_smem_size" => Special::DynamicShared,
        "%total_smem_size" => Special::TotalShared,
        _ => return None,
    })
}
