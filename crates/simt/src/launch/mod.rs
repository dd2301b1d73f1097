//! How a kernel is launched: the shape, the arguments, and the choices that determine the run.

mod error;
mod pulse;

use std::fmt;
use std::sync::Arc;

pub use error::{LaunchError, MemoryError};
pub use pulse::Pulse;

pub use crate::schedule::Schedule;

/// Sizes or coordinates in up to three dimensions, `x` fastest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // CUDA's own names.
pub struct Dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

impl Dim3 {
    /// A shape, or a position, in three dimensions.
    pub const fn new(x: u32, y: u32, z: u32) -> Dim3 {
        Dim3 { x, y, z }
    }

    /// `x · y · z`, or the largest `u64` if that is too large.
    pub const fn count(self) -> u64 {
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }

    /// The position with an index in a space of this shape, where `x` changes fastest.
    #[must_use]
    pub const fn nth(self, index: u64) -> Dim3 {
        let (x, y) = (self.x as u64, self.y as u64);
        Dim3 { x: (index % x) as u32, y: (index / x % y) as u32, z: (index / x / y) as u32 }
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Dim3 {
        Dim3::new(x, 1, 1)
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Dim3 {
        Dim3::new(x, y, 1)
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{},{})", self.x, self.y, self.z)
    }
}

/// An argument of a kernel: its bytes in little-endian order, as the parameter's type requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg(Vec<u8>);

impl Arg {
    /// A structure passed by value.
    pub fn bytes(bytes: &[u8]) -> Arg {
        Arg(bytes.to_vec())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

macro_rules! arg_from {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Arg {
            fn from(value: $ty) -> Arg {
                Arg(value.to_le_bytes().to_vec())
            }
        }
    )*};
}

arg_from!(u8, u16, u32, u64, i8, i16, i32, i64, f32, f64);

/// The mechanism with which the lanes of a warp reconverge after a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reconvergence {
    /// The stack for targets below `sm_70`, and independent thread scheduling for all others.
    #[default]
    Auto,
    /// The reconvergence stack of the GPUs before Volta.
    Stack,
    /// Independent thread scheduling, since Volta.
    Its,
}

/// The checkers that are switched on. They report what the kernel did, and do not change what it does. What the
/// emulator cannot carry out, such as an access outside of all allocations, stops a launch with any set of checkers.
///
/// Later versions add checkers: begin with [`Checks::NONE`] or [`Checks::ALL`], as in
/// `Checks { races: true, ..Checks::NONE }`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is switched on by itself")]
pub struct Checks {
    /// Accesses to the same bytes that nothing orders.
    pub races: bool,
    /// Reads of bytes that have never been written.
    pub initialisation: bool,
    /// Volatile stores that nothing orders, in addition to the races: a race in CUDA C++, but not in PTX. They are
    /// reported as notes. Kernels that wait for volatile flags get many of them, unless a fence comes before each store.
    pub volatile_races: bool,
    /// Shuffles that read a lane which does not take part, and barriers that complete only because threads have ended.
    pub synchronisation: bool,
}

impl Checks {
    /// No checker. This is the fastest choice.
    pub const NONE: Checks =
        Checks { races: false, volatile_races: false, initialisation: false, synchronisation: false };
    /// All checkers.
    pub const ALL: Checks =
        Checks { races: true, volatile_races: true, initialisation: true, synchronisation: true };
}

/// A launch. [`Launch::new`] sets the defaults. The rest is set field by field, or in a literal that ends with
/// `..Launch::new(grid, block)`. Later versions add fields, so a literal or a pattern that lists all of them will not
/// compile then.
///
/// ```
/// use simt::{Checks, Launch, Schedule};
///
/// let launch = Launch { checks: Checks::ALL, schedule: Schedule::Random, seed: 7, ..Launch::new((2, 2), (16, 16)) };
/// let launch = launch.arg(1000_u32).arg(0.5_f32);
/// assert_eq!(launch.grid.count() * launch.block.count(), 1024);
/// ```
#[derive(Clone, Debug)]
pub struct Launch {
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// Blocks in a cluster, of which the grid has to consist. With `None` there are clusters only if the kernel was compiled for
    /// clusters of a size. Another size than that is an error.
    pub cluster: Option<Dim3>,
    /// Dynamic shared memory in bytes.
    pub shared_bytes: u32,
    /// The arguments, in the order of the parameters.
    pub args: Vec<Arg>,
    /// Decides every choice that the hardware leaves open.
    pub seed: u64,
    /// The order in which warps take turns.
    pub schedule: Schedule,
    /// How lanes reconverge.
    pub reconvergence: Reconvergence,
    /// The checkers that are switched on.
    pub checks: Checks,
    /// Whether a load may return an older store, and a store or a relaxed update may take effect later than its thread
    /// executes it, where the PTX memory model allows it. The seed chooses.
    pub weak_memory: bool,
    /// An address in global memory. [`crate::Report::last_store`] names the thread that stored the byte there last.
    /// Like a checker, this changes nothing.
    pub follow: Option<u64>,
    /// The number of blocks that are resident at a time.
    pub resident_blocks: u32,
    /// The number of warp instructions after which the launch is stopped with a fault.
    pub max_steps: u64,
    /// The number of cores of the computer that may run blocks in parallel. What the launch does, and what it reports,
    /// is the same for every number.
    pub cores: u32,
    /// The size of the buffer for what the kernel prints. If it is full, new text replaces the oldest.
    pub print_bytes: u64,
    /// Where others can see how far the launch has come, and can stop it.
    pub pulse: Option<Arc<Pulse>>,
    /// For the emulator's own tests.
    #[doc(hidden)]
    pub hooks: Hooks,
}

/// Other ways to carry out a launch, all of which have the same result. Tests compare them.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hooks {
    pub(crate) plain: bool,
    pub(crate) deal: Option<u64>,
}

#[cfg(feature = "internals")]
impl Hooks {
    /// Whether the plain interpreter carries out every instruction.
    #[must_use]
    pub fn plain(self, plain: bool) -> Hooks {
        Hooks { plain, ..self }
    }

    /// Uses all cores for the launch, however small it is, one after the other on this thread. The seed assigns the
    /// blocks to the cores, and not which core is free, so that a test can be repeated.
    #[must_use]
    pub fn deal(self, seed: u64) -> Hooks {
        Hooks { deal: Some(seed), ..self }
    }
}

impl Launch {
    /// A launch of `grid` blocks of `block` threads, without arguments.
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Launch {
        Launch {
            grid: grid.into(),
            block: block.into(),
            cluster: None,
            shared_bytes: 0,
            args: Vec::new(),
            seed: 0,
            schedule: Schedule::default(),
            reconvergence: Reconvergence::default(),
            checks: Checks::NONE,
            weak_memory: false,
            follow: None,
            resident_blocks: DEFAULT_RESIDENT_BLOCKS,
            max_steps: DEFAULT_MAX_STEPS,
            cores: 1,
            print_bytes: DEFAULT_PRINT_BYTES,
            pulse: None,
            hooks: Hooks::default(),
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<Arg>) -> Launch {
        self.args.push(arg.into());
        self
    }

    /// Where the block with a number is in the grid. Blocks are numbered cluster by cluster, in both `x` fastest.
    pub(crate) fn block_at(&self, number: u64) -> Dim3 {
        let size = self.cluster_size();
        if size.count() == 1 {
            return self.grid.nth(number);
        }
        let (cluster, own) = (self.cluster_at(number), size.nth(number % size.count()));
        Dim3::new(cluster.x * size.x + own.x, cluster.y * size.y + own.y, cluster.z * size.z + own.z)
    }

    /// Where the cluster of the block with a number is in the grid of clusters.
    pub(crate) fn cluster_at(&self, number: u64) -> Dim3 {
        self.clusters().nth(number / self.cluster_size().count())
    }

    /// Blocks in a cluster; one block if there are no clusters.
    pub fn cluster_size(&self) -> Dim3 {
        self.cluster.unwrap_or(Dim3::new(1, 1, 1))
    }

    /// Clusters in the grid.
    pub(crate) fn clusters(&self) -> Dim3 {
        let (grid, cluster) = (self.grid, self.cluster_size());
        Dim3::new(grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z)
    }

    /// How many blocks are on the machine at a time: whole clusters.
    pub(crate) fn residents(&self) -> u64 {
        let cluster = self.cluster_size().count();
        let clusters = (u64::from(self.resident_blocks) / cluster).max(1);
        (clusters * cluster).min(self.grid.count())
    }
}

/// The number of resident blocks unless a launch sets another one. It is large enough for contention on a lock, and
/// small enough to keep the registers of the blocks in the cache.
pub const DEFAULT_RESIDENT_BLOCKS: u32 = 16;

/// The limit on warp instructions unless a launch sets another one. It is eight times what the largest reductions here
/// take, and a minute or two. A spin that cannot end is found much earlier ([`crate::FaultKind::Livelock`]).
pub const DEFAULT_MAX_STEPS: u64 = 4_000_000_000;

/// The size of the buffer for what a kernel prints unless a launch sets another one: that of the programming guide.
pub const DEFAULT_PRINT_BYTES: u64 = 1 << 20;

/// The largest number of threads in a block, as on every GPU since Fermi.
pub const MAX_BLOCK_THREADS: u64 = 1024;

/// The largest number of blocks in a cluster on every GPU that has clusters. An H100 or H200 can have 16 if the kernel asks for
/// that, which is not supported.
pub const MAX_CLUSTER_BLOCKS: u64 = 8;

/// The largest amount of shared memory of a block in bytes, static and dynamic together, as on `sm_90`.
pub const MAX_SHARED_BYTES: u64 = 227 * 1024;

/// The largest grid in blocks, as on every GPU since Kepler.
pub const MAX_GRID: Dim3 = Dim3::new(i32::MAX as u32, 65_535, 65_535);
