//! Decoded barriers of a block.

/// A barrier instruction. Its number is `args.a`, its thread count, if it names one, `args.b`, the predicate of a
/// reduction `args.c`, and its result `args.d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// What it does.
    pub action: Action,
    /// Whether it names how many threads take part; otherwise all threads of the block do.
    pub counted: bool,
    /// Whether the predicate of a reduction is negated.
    pub negated: bool,
    /// Whether all lanes of a warp must arrive by the same instruction, which `bar` always requires.
    pub aligned: bool,
}

/// What a barrier instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Arrives and waits.
    Sync,
    /// Arrives and continues.
    Arrive,
    /// Arrives, waits, and returns something about the predicates of all threads.
    Reduce(Combine),
}

/// What a reducing barrier returns about the predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// How many are true.
    Popc,
    /// Whether all are.
    And,
    /// Whether any is.
    Or,
}
