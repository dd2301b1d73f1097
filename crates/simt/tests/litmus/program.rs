//! A litmus program: a few threads, each a short list of operations on a few words.
//!
//! One description can be both rendered as PTX (`ptx.rs`) and judged by the memory model (`axioms.rs`). The words start
//! as zero. Left out are loops, computed addresses, values of sizes other than 32 bits, and barriers at which some
//! threads only arrive. Specification: PTX ISA, sections 8.4 (kinds of operations) and 8.5 (scopes).

use std::fmt;

/// A location: the index of a 32-bit word.
pub type Location = usize;

/// A register: its index in its thread.
pub type Register = usize;

/// The value of a register that no executed operation has written.
pub const UNSET: u32 = 99;

/// The threads among which an operation is ordered. Clause 8.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Cta,
    Gpu,
    Sys,
}

/// The order of an access. Clause 8.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Weak,
    Volatile,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
}

/// The strength of an access: its order and, where it has one, its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    pub order: Order,
    pub scope: Scope,
}

/// A weak access; the scope has no meaning.
pub const WEAK: Strength = Strength { order: Order::Weak, scope: Scope::Sys };

/// A volatile access: relaxed at the system's scope (8.4.2).
pub const VOLATILE: Strength = Strength { order: Order::Volatile, scope: Scope::Sys };

/// `ld.relaxed`, `st.relaxed`, `atom.relaxed`.
pub fn relaxed(scope: Scope) -> Strength {
    Strength { order: Order::Relaxed, scope }
}

/// `ld.acquire`, `atom.acquire`.
pub fn acquire(scope: Scope) -> Strength {
    Strength { order: Order::Acquire, scope }
}

/// `st.release`, `atom.release`.
pub fn release(scope: Scope) -> Strength {
    Strength { order: Order::Release, scope }
}

/// `atom.acq_rel`.
pub fn acq_rel(scope: Scope) -> Strength {
    Strength { order: Order::AcqRel, scope }
}

/// The kinds of fence. Clause 9.7.13.4: from `sm_70` on, `membar` is a `fence.sc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceKind {
    AcqRel,
    Sc,
    Membar,
}

/// The value that is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Is(u32),
    /// A register plus a number.
    Plus(Register, u32),
}

/// An operation. The register of an atomic gets the old value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Load {
        to: Register,
        at: Location,
        how: Strength,
    },
    Store {
        at: Location,
        value: Value,
        how: Strength,
    },
    Exchange {
        to: Register,
        at: Location,
        value: u32,
        how: Strength,
    },
    Add {
        to: Register,
        at: Location,
        value: u32,
        how: Strength,
    },
    Cas {
        to: Register,
        at: Location,
        expected: u32,
        value: u32,
        how: Strength,
    },
    Fence {
        kind: FenceKind,
        scope: Scope,
    },
    /// A barrier, at which all threads with the same number wait: all threads of a block, or some lanes of a warp.
    Barrier {
        among: Among,
        number: usize,
    },
}

/// The threads that wait at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    Block,
    Warp,
}

impl Action {
    /// The register that it writes.
    pub fn result(&self) -> Option<Register> {
        match *self {
            Action::Load { to, .. }
            | Action::Exchange { to, .. }
            | Action::Add { to, .. }
            | Action::Cas { to, .. } => Some(to),
            Action::Store { .. } | Action::Fence { .. } | Action::Barrier { .. } => None,
        }
    }

    /// The location that it accesses.
    pub fn location(&self) -> Option<Location> {
        match *self {
            Action::Load { at, .. }
            | Action::Store { at, .. }
            | Action::Exchange { at, .. }
            | Action::Add { at, .. }
            | Action::Cas { at, .. } => Some(at),
            Action::Fence { .. } | Action::Barrier { .. } => None,
        }
    }

    /// The number of the barrier, if it is one.
    pub fn barrier(&self) -> Option<usize> {
        match *self {
            Action::Barrier { number, .. } => Some(number),
            _ => None,
        }
    }
}

/// An action and its condition, which is that a register has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    pub action: Action,
    pub guard: Option<(Register, u32)>,
}

impl From<Action> for Op {
    fn from(action: Action) -> Op {
        Op { action, guard: None }
    }
}

/// The place of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub block: u32,
    pub warp: u32,
    pub lane: u32,
}

/// A thread.
#[derive(Clone, Debug)]
pub struct Thread {
    pub place: Place,
    pub ops: Vec<Op>,
}

impl Thread {
    /// The number of its registers.
    pub fn registers(&self) -> usize {
        self.ops.iter().filter_map(|op| op.action.result()).max().map_or(0, |last| last + 1)
    }
}

/// The space in which the words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Global,
    /// Only if all threads are in one block.
    Shared,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    pub threads: Vec<Thread>,
    pub space: Space,
}

impl Program {
    /// The number of words that it uses.
    pub fn locations(&self) -> usize {
        let ops = self.threads.iter().flat_map(|thread| &thread.ops);
        ops.filter_map(|op| op.action.location()).max().map_or(0, |last| last + 1)
    }

    /// The threads that wait at a barrier, and the index of the barrier among the operations of each.
    pub fn barrier(&self, number: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.threads.iter().enumerate().filter_map(move |(thread, Thread { ops, .. })| {
            let at = ops.iter().position(|op| op.action.barrier() == Some(number))?;
            Some((thread, at))
        })
    }
}

/// The outcome of a run: the registers of every thread in turn, then the words of memory.
pub type Outcome = Vec<u32>;

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::Cta => "cta",
            Scope::Gpu => "gpu",
            Scope::Sys => "sys",
        })
    }
}

impl fmt::Display for Strength {
    /// As in PTX, with the dot before it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scope = self.scope;
        match self.order {
            Order::Weak => f.write_str(".weak"),
            Order::Volatile => f.write_str(".volatile"),
            Order::Relaxed => write!(f, ".relaxed.{scope}"),
            Order::Acquire => write!(f, ".acquire.{scope}"),
            Order::Release => write!(f, ".release.{scope}"),
            Order::AcqRel => write!(f, ".acq_rel.{scope}"),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Is(value) => write!(f, "{value}"),
            Value::Plus(register, value) => write!(f, "r{register}+{value}"),
        }
    }
}

impl fmt::Display for Op {
    /// A short line for a reader, similar to PTX.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 4] = ["x", "y", "z", "w"];
        if let Some((register, value)) = self.guard {
            write!(f, "[r{register}=={value}] ")?;
        }
        match self.action {
            Action::Load { to, at, how } => write!(f, "r{to} = ld{how} {}", NAMES[at]),
            Action::Store { at, value, how } => write!(f, "st{how} {} = {value}", NAMES[at]),
            Action::Exchange { to, at, value, how } => write!(f, "r{to} = exch{how} {} = {value}", NAMES[at]),
            Action::Add { to, at, value, how } => write!(f, "r{to} = add{how} {} + {value}", NAMES[at]),
            Action::Cas { to, at, expected, value, how } => {
                write!(f, "r{to} = cas{how} {} {expected}->{value}", NAMES[at])
            }
            Action::Fence { kind: FenceKind::AcqRel, scope } => write!(f, "fence.acq_rel.{scope}"),
            Action::Fence { kind: FenceKind::Sc, scope } => write!(f, "fence.sc.{scope}"),
            Action::Fence { kind: FenceKind::Membar, scope } => write!(f, "membar.{}", membar_level(scope)),
            Action::Barrier { among: Among::Block, number } => write!(f, "barrier.sync (number {number})"),
            Action::Barrier { among: Among::Warp, number } => write!(f, "bar.warp.sync (number {number})"),
        }
    }
}

/// The word with which `membar` names a scope.
pub fn membar_level(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "cta",
        Scope::Gpu => "gl",
        Scope::Sys => "sys",
    }
}

impl fmt::Display for Program {
    /// The whole program, so that a failure can be understood without its generator.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  words in {:?} memory", self.space)?;
        for (number, Thread { place, ops }) in self.threads.iter().enumerate() {
            let Place { block, warp, lane } = place;
            let ops: Vec<String> = ops.iter().map(ToString::to_string).collect();
            writeln!(f, "  thread {number} (block {block}, warp {warp}, lane {lane}): {}", ops.join("; "))?;
        }
        Ok(())
    }
}
