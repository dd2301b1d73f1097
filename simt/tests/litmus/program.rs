//! A litmus program: a few threads, each a short list of operations on a few words.
//!
//! It exists so that one description can be both rendered as PTX (`ptx.rs`) and judged by the memory model
//! (`axioms.rs`). The words start as zero. Left out: loops, addresses that are computed, values of any size but
//! 32 bits, barriers that some threads only arrive at. Specification: PTX ISA, section 8.4 (kinds of operations) and 8.5
//! (scopes).

use std::fmt;

/// A location: the index of a 32-bit word.
pub type Location = usize;

/// A register: its index in its thread.
pub type Register = usize;

/// What a register holds that no executed operation has written.
pub const UNSET: u32 = 99;

/// Among whom an operation is ordered. Clause 8.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Cta,
    Gpu,
    Sys,
}

/// How an access is ordered. Clause 8.4.
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

/// What is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Is(u32),
    /// A register plus a number.
    Plus(Register, u32),
}

/// What an operation does. An atomic's register receives the old value.
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
    /// A barrier. Threads that have one of the same number meet there: all of a block, or some lanes of a warp.
    Meet {
        among: Among,
        number: usize,
    },
}

/// Who meets at a barrier.
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
            Action::Store { .. } | Action::Fence { .. } | Action::Meet { .. } => None,
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
            Action::Fence { .. } | Action::Meet { .. } => None,
        }
    }

    /// The number of the barrier that it is.
    pub fn meeting(&self) -> Option<usize> {
        match *self {
            Action::Meet { number, .. } => Some(number),
            _ => None,
        }
    }
}

/// An action, and the condition under which it is carried out: a register has a value.
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

/// Where a thread runs.
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
    /// How many registers it has.
    pub fn registers(&self) -> usize {
        self.ops.iter().filter_map(|op| op.action.result()).max().map_or(0, |last| last + 1)
    }
}

/// Where the words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Global,
    /// Only where all threads are of one block.
    Shared,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    pub threads: Vec<Thread>,
    pub space: Space,
}

impl Program {
    /// How many words it uses.
    pub fn locations(&self) -> usize {
        let ops = self.threads.iter().flat_map(|thread| &thread.ops);
        ops.filter_map(|op| op.action.location()).max().map_or(0, |last| last + 1)
    }

    /// The threads that meet at a barrier, and which of their operations it is.
    pub fn meeting(&self, number: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.threads.iter().enumerate().filter_map(move |(thread, Thread { ops, .. })| {
            let at = ops.iter().position(|op| op.action.meeting() == Some(number))?;
            Some((thread, at))
        })
    }
}

/// How a run ended: the registers of every thread in turn, then the words of memory.
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
    /// As PTX has it, with the dot before it.
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
    /// One line for a reader: near PTX, short.
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
            Action::Meet { among: Among::Block, number } => write!(f, "barrier.sync (number {number})"),
            Action::Meet { among: Among::Warp, number } => write!(f, "bar.warp.sync (number {number})"),
        }
    }
}

/// What `membar` calls a scope.
pub fn membar_level(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "cta",
        Scope::Gpu => "gl",
        Scope::Sys => "sys",
    }
}

impl fmt::Display for Program {
    /// The whole program, so that a failure can be read without looking for its generator.
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
