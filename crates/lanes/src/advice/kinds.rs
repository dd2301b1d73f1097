//! The kinds of advice, and the facts that each consists of.

use simt::{Access, AccessKind, Site};

use super::padding::Padding;

/// A finding below this part of the launch's total is not worth a reader's time.
pub(super) const LEAST_SHARE: f64 = 0.05;

/// A piece of advice.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The instruction that it is about; where it is about several of one line, the first of them.
    pub site: Site,
    /// What was found.
    pub about: About,
}

/// What a piece of advice is about.
#[derive(Clone, Debug)]
pub enum About {
    /// Requests to global memory touch more sectors than their bytes need.
    Sectors(Sectors),
    /// Lanes of a request want different words of one bank.
    Banks(Banks),
    /// Lanes of a request update the same word, one after another.
    SameWord(SameWord),
    /// A block reads the same sectors again and again.
    Reuse(Reuse),
    /// Most lanes are idle.
    Idle(Idle),
    /// A barrier or a fence does more than the launch needs.
    Order(Unneeded),
}

/// The kinds of advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Most lanes are idle.
    IdleLanes,
    /// Requests to global memory touch more sectors than they need.
    Sectors,
    /// A block reads the same sectors again.
    Reuse,
    /// Lanes of a request want different words of one bank.
    BankConflicts,
    /// Lanes of a request update one word.
    SameWord,
    /// A barrier or a fence orders nothing.
    UnneededOrder,
}

impl Kind {
    /// All kinds, in the order in which they are said of a line.
    pub const ALL: [Kind; 6] = [
        Kind::IdleLanes,
        Kind::Sectors,
        Kind::Reuse,
        Kind::BankConflicts,
        Kind::SameWord,
        Kind::UnneededOrder,
    ];

    /// Its name, as `lanes explain` knows it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::IdleLanes => "idle-lanes",
            Kind::Sectors => "sectors",
            Kind::Reuse => "reuse",
            Kind::BankConflicts => "bank-conflicts",
            Kind::SameWord => "same-word",
            Kind::UnneededOrder => "unneeded-order",
        }
    }
}

impl About {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            About::Idle(_) => Kind::IdleLanes,
            About::Sectors(_) => Kind::Sectors,
            About::Reuse(_) => Kind::Reuse,
            About::Banks(_) => Kind::BankConflicts,
            About::SameWord(_) => Kind::SameWord,
            About::Order(_) => Kind::UnneededOrder,
        }
    }
}

/// Lines in which most lanes are idle.
#[derive(Clone, Debug)]
pub struct Idle {
    /// The instructions of the lines that were issued.
    pub instructions: u64,
    /// The CUDA lines that have the same lanes idle for the same reason, the first of them that of the advice.
    pub lines: Vec<u32>,
    /// The average number of lanes that were idle.
    pub average: f64,
    /// The part of the lanes of all instructions that are idle in these lines, from 0 to 1.
    pub share: f64,
    /// Why most of them were.
    pub why: Why,
    /// The mask of active lanes with which the most lanes were idle.
    pub usual_mask: u32,
    /// How the active lanes change.
    pub shape: Shape,
}

/// How the active lanes of the lines change, which decides what can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Most lanes are idle because a single one is active, one after another.
    Turns,
    /// The threads of a block that are active here would fit into fewer warps.
    FewerWarps,
    /// Most lanes are idle because a single one is active, and mostly the same one.
    Single,
    /// The active lanes are always the first ones of the warp.
    First,
    /// None of these.
    Other,
}

/// Why a lane is idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The block has no such thread.
    Absent,
    /// The thread has ended.
    Ended,
    /// The thread has taken another way at a branch.
    Elsewhere,
    /// The guard of the instruction is false.
    Guarded,
}

/// A barrier or a fence that a launch does not need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unneeded {
    /// The instruction, as in PTX.
    pub ptx: String,
    /// What does instead; `None` if it can be left out.
    pub instead: Option<Scope>,
    /// How many orders of the warps were tried.
    pub orders: u64,
    /// Whether it comes from the order of an atomic operation, and not from a fence in the text.
    pub is_of_an_atomic: bool,
}

/// The scope of a fence that is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The threads of a block: `__threadfence_block()`.
    Block,
    /// The threads of a device: `__threadfence()`.
    Device,
}

/// Requests to global memory that touch more sectors than they need.
#[derive(Clone, Debug)]
pub struct Sectors {
    /// What is read or written.
    pub name: String,
    /// Whether it is read, written or updated.
    pub kind: AccessKind,
    /// Requests in the launch.
    pub requests: u64,
    /// Sectors that these touched.
    pub touched: u64,
    /// Sectors that would do if the same bytes were next to each other.
    pub needed: u64,
    /// The distance between neighbouring lanes in bytes, if it is the same in most requests.
    pub step: Option<i64>,
    /// The request that touched the most.
    pub worst: Access,
}

/// Requests to shared memory with bank conflicts.
#[derive(Clone, Debug)]
pub struct Banks {
    /// What is read or written.
    pub name: String,
    /// Whether it is read, written or updated.
    pub kind: AccessKind,
    /// Requests in the launch.
    pub requests: u64,
    /// Passes that these needed in addition to one each.
    pub conflicts: u64,
    /// The distance between neighbouring lanes in bytes, if it is the same in most requests.
    pub step: Option<i64>,
    /// Longer rows, with which there are fewer conflicts.
    pub padding: Option<Padding>,
    /// The request that needed the most.
    pub worst: Access,
}

/// Atomic requests whose lanes update the same words.
#[derive(Clone, Debug)]
pub struct SameWord {
    /// What is updated.
    pub name: String,
    /// Requests in the launch.
    pub requests: u64,
    /// Lanes of all these requests.
    pub lanes: u64,
    /// Different words that each of these requests had, added up.
    pub words: u64,
    /// What can be done about it.
    pub remedy: Remedy,
    /// Whether the words are in shared memory.
    pub is_shared: bool,
    /// A request with many lanes.
    pub worst: Access,
}

/// What can be done about updates of the same word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The values can be combined before one of the updates is made, as those of a sum.
    Combine,
    /// They only read the word, by adding nothing to it.
    Look,
    /// They are those of a loop that compares and swaps.
    NoLoop,
    /// Nothing that is known.
    None,
}

/// Sectors that a block reads more than once.
#[derive(Clone, Debug)]
pub struct Reuse {
    /// What is read.
    pub name: String,
    /// The block that was looked at.
    pub block: simt::Dim3,
    /// Sectors that its requests touched.
    pub requested: u64,
    /// Different sectors among them.
    pub different: u64,
}
