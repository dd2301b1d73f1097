//! The part of a program in which all threads take the same way: exchanges, votes, shuffles.

use crate::evaluate::{Machine, TooLong, combined};
use crate::number::{Ty, Value, integer};
use crate::tree::{Exchange, Expr, Gather, Stmt, Warp, WarpOp};

/// Whether threads work together somewhere in a statement.
pub fn is_joint(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Exchange(_) | Stmt::Gather(_) | Stmt::Warp(_) => true,
        Stmt::Block(body) | Stmt::While { body, .. } => body.iter().any(is_joint),
        Stmt::If(_, then, otherwise) => then.iter().chain(otherwise).any(is_joint),
        Stmt::For(inner) => inner.body.iter().any(is_joint),
        Stmt::Switch(_, arms) => arms.iter().any(|arm| arm.body.iter().any(is_joint)),
        _ => false,
    }
}

/// Runs statements in all threads.
pub fn statements(machine: &mut Machine<'_>, stmts: &[Stmt]) -> Result<(), TooLong> {
    let all = machine.threads.len();
    for stmt in stmts {
        match stmt {
            Stmt::Block(body) if is_joint(stmt) => statements(machine, body)?,
            Stmt::If(condition, then, otherwise) if is_joint(stmt) => {
                let holds = uniform(machine, condition)?;
                statements(machine, if holds { then } else { otherwise })?;
            }
            Stmt::For(inner) if is_joint(stmt) => {
                for thread in 0..all {
                    machine.begin(thread, inner)?;
                }
                while uniform(machine, &inner.condition)? {
                    statements(machine, &inner.body)?;
                    for thread in 0..all {
                        machine.value(thread, &inner.step)?;
                    }
                }
            }
            Stmt::Exchange(inner) => exchange(machine, inner)?,
            Stmt::Gather(inner) => gather(machine, inner)?,
            Stmt::Warp(inner) => warp(machine, inner)?,
            other => {
                for thread in 0..all {
                    machine.alone(thread, other)?;
                }
            }
        }
    }
    Ok(())
}

/// A condition that is the same in all threads.
fn uniform(machine: &mut Machine<'_>, condition: &Expr) -> Result<bool, TooLong> {
    let mut result = true;
    for thread in 0..machine.threads.len() {
        let holds = machine.value(thread, condition)?.is_true();
        assert!(thread == 0 || holds == result, "the condition is the same in all threads");
        result = holds;
    }
    Ok(result)
}

fn exchange(machine: &mut Machine<'_>, inner: &Exchange) -> Result<(), TooLong> {
    let (size, ty) = (machine.program.threads, machine.program.shared[inner.shared]);
    let mut memory = vec![integer(Ty::Int, 0); machine.threads.len()];
    for thread in 0..machine.threads.len() {
        let (index, block) = (machine.threads[thread].index, machine.threads[thread].block);
        let at = (index * inner.factor + inner.offset) % size;
        memory[block * size + at] = machine.converted(thread, &inner.value, ty)?;
    }
    for thread in 0..machine.threads.len() {
        let at = machine.index(thread, &inner.from, size)?;
        let value = memory[machine.threads[thread].block * size + at];
        bind(machine, thread, inner.to, value);
    }
    Ok(())
}

/// Gives a new variable its value.
fn bind(machine: &mut Machine<'_>, thread: usize, var: usize, value: Value) {
    let ty = machine.shape_ty(thread, var);
    machine.bind(thread, var, vec![Some(value.convert(ty).0)]);
}

fn gather(machine: &mut Machine<'_>, inner: &Gather) -> Result<(), TooLong> {
    let (size, ty) = (machine.program.threads, machine.program.shared[inner.shared]);
    let mut memory = Vec::new();
    for thread in 0..machine.threads.len() {
        memory.push(machine.converted(thread, &inner.start, ty)?);
    }
    for thread in 0..machine.threads.len() {
        if machine.value(thread, &inner.condition)?.is_true() {
            let at = machine.index(thread, &inner.at, size)?;
            let value = machine.converted(thread, &inner.value, ty)?;
            let element = &mut memory[machine.threads[thread].block * size + at];
            *element = combined(inner.op, *element, value);
        }
    }
    for thread in 0..machine.threads.len() {
        let at = machine.index(thread, &inner.from, size)?;
        let value = memory[machine.threads[thread].block * size + at];
        bind(machine, thread, inner.to, value);
    }
    Ok(())
}

fn warp(machine: &mut Machine<'_>, inner: &Warp) -> Result<(), TooLong> {
    let mut values = Vec::new();
    let mut lanes = Vec::new();
    for thread in 0..machine.threads.len() {
        values.push(machine.converted(thread, &inner.value, inner.ty)?);
        lanes.push(match inner.op {
            WarpOp::Shuffle { .. } => machine.index(thread, &inner.lane, 32)? as u32,
            _ => 0,
        });
    }
    for (thread, from_lane) in lanes.into_iter().enumerate() {
        let (start, lane) = (thread / 32 * 32, (thread % 32) as u32);
        let of_warp = &values[start..start + 32];
        let from = |lane: u32| of_warp[lane as usize];
        let trues = of_warp.iter().rev().fold(0_u32, |bits, value| bits << 1 | u32::from(value.is_true()));
        let truth = |holds: bool| integer(Ty::Int, i128::from(holds));
        let value = match inner.op {
            WarpOp::Shuffle { width } => from(lane / width * width + from_lane % width),
            WarpOp::Up { delta, width } => from(if lane % width < delta { lane } else { lane - delta }),
            WarpOp::Down { delta, width } => {
                from(if lane % width + delta >= width { lane } else { lane + delta })
            }
            // A lane of a later part of the warp is not read, one of an earlier part is.
            WarpOp::Xor { mask, width } => {
                let other = lane ^ mask;
                from(if other / width > lane / width { lane } else { other })
            }
            WarpOp::Ballot => integer(Ty::Unsigned, trues.into()),
            WarpOp::Any => truth(trues != 0),
            WarpOp::All => truth(trues == u32::MAX),
        };
        bind(machine, thread, inner.to, value);
    }
    Ok(())
}
