//! Loops of host code as instructions on registers, because executing their trees takes several times as long.
//!
//! A loop is translated when it is met first (`translate`), with the functions that it calls, if their parameters and
//! results are numbers. Variables whose address nobody takes (`slots`) are in registers while it runs (`run`), and
//! everything else is in memory, where each access is checked as before. What a translation does not know is left to the
//! tree: a statement under a condition is executed there, with the variables back in memory, and a loop that has such a
//! statement in every turn is not translated. So results, findings and their lines, and the turns that are counted are
//! the same.
//!
//! ```text
//! for (…; i < n; i++) sum += a[i];       i, n, a, sum in r0 to r3, 0 in r4
//!
//! 0  turn
//! 1  unless r0 < r1 go to 6
//! 2  r5 = load f32 r2 + 4 r0
//! 3  r3 = r3 + r5
//! 4  r0 = r0 + r6                          1 in r6
//! 5  go to 0
//! ```

mod expression;
mod run;
mod slots;
mod translate;

use cudac::Line;
use cudac::host::{Binary, Compare, Intrinsic, Scalar, Stmt};

use crate::function::Function;

/// A register. There are as many as this can number, so no access to one needs a check.
type Register = u8;

/// An instruction. Where it goes to is an index of [`Code::ops`].
#[derive(Clone, Copy, Debug)]
enum Op {
    Move {
        to: Register,
        from: Register,
    },
    AddI32 {
        to: Register,
        a: Register,
        b: Register,
    },
    SubI32 {
        to: Register,
        a: Register,
        b: Register,
    },
    MulI32 {
        to: Register,
        a: Register,
        b: Register,
    },
    AddI64 {
        to: Register,
        a: Register,
        b: Register,
    },
    SubI64 {
        to: Register,
        a: Register,
        b: Register,
    },
    MulI64 {
        to: Register,
        a: Register,
        b: Register,
    },
    AddF32 {
        to: Register,
        a: Register,
        b: Register,
    },
    SubF32 {
        to: Register,
        a: Register,
        b: Register,
    },
    MulF32 {
        to: Register,
        a: Register,
        b: Register,
    },
    AddF64 {
        to: Register,
        a: Register,
        b: Register,
    },
    SubF64 {
        to: Register,
        a: Register,
        b: Register,
    },
    MulF64 {
        to: Register,
        a: Register,
        b: Register,
    },
    Binary {
        op: Binary,
        ty: Scalar,
        to: Register,
        a: Register,
        b: Register,
    },
    Compare {
        compare: Compare,
        ty: Scalar,
        to: Register,
        a: Register,
        b: Register,
    },
    Negate {
        ty: Scalar,
        to: Register,
        a: Register,
    },
    Complement {
        ty: Scalar,
        to: Register,
        a: Register,
    },
    Not {
        to: Register,
        a: Register,
    },
    Convert {
        into: Scalar,
        from: Scalar,
        to: Register,
        a: Register,
    },
    Intrinsic {
        intrinsic: Intrinsic,
        ty: Scalar,
        to: Register,
        from: [Register; 3],
    },
    /// A function of the runtime that computes one number of up to three.
    Math {
        function: Function,
        ty: Scalar,
        to: Register,
        from: [Register; 3],
    },
    Random {
        to: Register,
    },
    /// The sum of an address and a number of elements of a size.
    Index {
        to: Register,
        a: Register,
        b: Register,
        bytes: i32,
    },
    /// The distance of two addresses in elements of a size.
    Distance {
        to: Register,
        a: Register,
        b: Register,
        bytes: u32,
    },
    /// Four bytes at such a sum that are extended with zeros; with their sign; eight bytes; any number.
    LoadU32 {
        to: Register,
        a: Register,
        b: Register,
        bytes: i32,
    },
    LoadI32 {
        to: Register,
        a: Register,
        b: Register,
        bytes: i32,
    },
    Load64 {
        to: Register,
        a: Register,
        b: Register,
        bytes: i32,
    },
    Load {
        ty: Scalar,
        to: Register,
        a: Register,
        b: Register,
        bytes: i32,
    },
    Store32 {
        from: Register,
        a: Register,
        b: Register,
        bytes: i32,
    },
    Store64 {
        from: Register,
        a: Register,
        b: Register,
        bytes: i32,
    },
    Store {
        ty: Scalar,
        from: Register,
        a: Register,
        b: Register,
        bytes: i32,
    },
    /// A turn of a loop or a call is counted.
    Turn,
    Jump {
        to: u32,
    },
    JumpIfZero {
        a: Register,
        to: u32,
    },
    JumpUnlessZero {
        a: Register,
        to: u32,
    },
    UnlessLess {
        a: Register,
        b: Register,
        to: u32,
    },
    UnlessLessOrEqual {
        a: Register,
        b: Register,
        to: u32,
    },
    UnlessEqual {
        a: Register,
        b: Register,
        to: u32,
    },
    IfEqual {
        a: Register,
        b: Register,
        to: u32,
    },
    Unless {
        compare: Compare,
        ty: Scalar,
        a: Register,
        b: Register,
        to: u32,
    },
    /// A statement that its tree executes: an index of [`Code::trees`].
    Tree {
        at: u32,
    },
    /// The function returns a number.
    Return {
        from: Register,
    },
    /// The loop is over.
    End,
}

/// A variable that is in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    offset: u64,
    ty: Scalar,
    register: Register,
}

/// A statement for its tree, and the variables that are in memory meanwhile.
#[derive(Debug)]
struct Tree<'p> {
    statement: &'p Stmt,
    slots: Vec<Slot>,
}

/// A loop that has been translated.
#[derive(Debug)]
pub(crate) struct Code<'p> {
    ops: Vec<Op>,
    /// The line of each instruction.
    lines: Vec<Line>,
    trees: Vec<Tree<'p>>,
    /// What registers hold at first.
    constants: Vec<(Register, u64)>,
    /// The same, as offsets in the frame.
    addresses: Vec<(Register, u64)>,
    /// The variables that are in registers, and have values when it begins.
    slots: Vec<Slot>,
}

pub(crate) use slots::Escapes;
