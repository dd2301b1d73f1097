//! Decoded asynchronous copies, and what waits for them.

use super::memory::Address;

/// An instruction about asynchronous copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Async {
    /// `cp.async`: starts a copy from global to shared memory.
    Copy(Copy),
    /// `commit_group`: makes a group of the copies that the thread has started since the last one.
    Commit,
    /// `wait_group`, `wait_all`: waits until at most so many of the thread's groups are under way; with none, for all copies.
    Wait(Option<u32>),
    /// `mbarrier.arrive`: arrives when the copies that the thread has started are complete.
    Arrive {
        /// Where the object is; the base is `args.a`.
        address: Address,
        /// Whether the phase expects the arrival in addition to those it expects anyway.
        adds: bool,
    },
}

/// A copy of `bytes` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    /// Where it writes, in shared memory; the base is `args.a`.
    pub to: Address,
    /// Where it reads, in global memory; the base is `args.b`.
    pub from: Address,
    /// How many bytes it writes.
    pub bytes: u8,
    /// How many of them it reads; the others are zero.
    pub size: Size,
}

/// How many bytes a copy reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// All that it writes.
    All,
    /// As many as `args.c` says.
    Given,
    /// None where the predicate `args.e` is true, or false if it is negated; all otherwise.
    IgnoredIf {
        /// Whether the predicate is negated.
        negated: bool,
    },
}

impl Copy {
    /// How many bytes a lane reads: `given` and `ignores` are its values of `args.c` and `args.e`.
    pub fn reads(&self, given: impl Fn() -> u32, ignores: impl Fn() -> bool) -> u64 {
        let all = u64::from(self.bytes);
        match self.size {
            Size::All => all,
            Size::Given => all.min(u64::from(given())),
            Size::IgnoredIf { negated } if ignores() == negated => all,
            Size::IgnoredIf { .. } => 0,
        }
    }
}
