//! Barriers of a block, decoded.

/// A barrier instruction. Its number is `args.a`, its thread count `args.b` where it has one, the predicate of
/// a reduction `args.c`, its result `args.d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// What it does.
    pub action: Action,
    /// Whether it names how many threads take part; all of the block where it does not.
    pub counted: bool,
    /// Whether the predicate of a reduction is negated.
    pub negated: bool,
    /// Whether all lanes of a warp must come by the same instruction: always for `bar`.
    pub aligned: bool,
}

/// What a barrier instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Arrives and waits.
    Sync,
    /// Arrives and goes on.
    Arrive,
    /// Arrives, waits, and learns about everybody's predicate.
    Reduce(Combine),
}

/// What a reducing barrier says of the predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// How many are true.
    Popc,
    /// Whether all are.
    And,
    /// Whether any is.
    Or,
}
