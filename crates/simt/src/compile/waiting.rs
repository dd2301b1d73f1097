//! Which loops may do nothing but wait: short ones that read memory with a strong access, and write none but by atomics.
//!
//! Left out are loops in which a round may do more than wait: those that look at the clock, print, store, call functions, or
//! meet other threads at a barrier. Left out too are atomics that a core may put off because nobody reads their results: until
//! the cores are joined, it is not known whether they change memory.

use crate::compile::inst::Pc;
use crate::compile::program::{Code, Program};
use crate::isa::op::Op;
use crate::isa::op::matrix::Matrix;
use crate::isa::op::memory::Memory;
use crate::isa::special::Special;
use crate::order::Order;

/// The longest loop, in instructions.
const LONGEST: Pc = 64;

/// Marks the branches of a function that go back in such loops.
pub fn mark(program: &mut Program, code: &Code) {
    for pc in code.start..code.end {
        if let Op::Branch { target, .. } = program.insts[pc as usize].op
            && target < pc
            && pc - target < LONGEST
        {
            let ops = || program.insts[target as usize..pc as usize].iter().map(|inst| &inst.op);
            program.insts[pc as usize].may_wait = ops().any(polls) && ops().all(may_repeat);
        }
    }
}

/// Whether an instruction sees what others write to memory meanwhile.
fn polls(op: &Op) -> bool {
    let is_own = |memory| matches!(memory, Memory::Local | Memory::Frame | Memory::Param | Memory::Const);
    match op {
        Op::Load(access) => access.order != Order::Weak && !is_own(access.address.memory),
        Op::Atomic(_) => true,
        _ => false,
    }
}

/// Whether an instruction does the same each time, if registers and memory are the same.
fn may_repeat(op: &Op) -> bool {
    match op {
        Op::Alu(_)
        | Op::Branch { .. }
        | Op::Load(_)
        | Op::Fence(_)
        | Op::Collective(_)
        | Op::Matrix(Matrix::Load(_) | Matrix::LoadTile(_) | Matrix::Transpose | Matrix::Multiply(_))
        | Op::Hint
        | Op::ActiveMask => true,
        Op::Atomic(atomic) => atomic.is_read || atomic.put_off.is_none(),
        Op::Special { what, .. } => !matches!(what, Special::Clock | Special::ClockHigh),
        _ => false,
    }
}
