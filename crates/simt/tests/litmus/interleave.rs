//! Finds interleavings by carrying out the operations in every order, one after another.
//!
//! This code does not use the axioms, so it checks the enumerator: the executions in which every read gets the latest
//! value must have the same outcomes. Fences are ignored, because they have no effect here. Specification: none; PTX
//! does not promise this machine.

use std::collections::BTreeSet;

use crate::program::{Action, Op, Outcome, Program, UNSET, Value};

/// A state between two operations: the position and the registers of each thread, and the memory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    next: Vec<usize>,
    registers: Vec<Vec<u32>>,
    memory: Vec<u32>,
}

/// The outcomes of all interleavings.
pub fn interleavings(program: &Program) -> BTreeSet<Outcome> {
    let start = State {
        next: vec![0; program.threads.len()],
        registers: program.threads.iter().map(|thread| vec![UNSET; thread.registers()]).collect(),
        memory: vec![0; program.locations()],
    };
    let mut outcomes = BTreeSet::new();
    let (mut known, mut open) = (BTreeSet::new(), vec![start]);
    while let Some(state) = open.pop() {
        let mut is_end = true;
        for (number, thread) in program.threads.iter().enumerate() {
            if let Some(op) = thread.ops.get(state.next[number]) {
                is_end = false;
                if !is_complete(program, &state, op) {
                    continue;
                }
                let after = step(&state, number, op);
                if known.insert(after.clone()) {
                    open.push(after);
                }
            }
        }
        if is_end {
            outcomes.insert(state.registers.into_iter().flatten().chain(state.memory).collect());
        }
    }
    outcomes
}

/// Whether an operation is not a barrier, or is one at which all threads have arrived.
fn is_complete(program: &Program, state: &State, op: &Op) -> bool {
    let Some(number) = op.action.barrier() else { return true };
    program.barrier(number).all(|(thread, at)| state.next[thread] >= at)
}

fn step(before: &State, thread: usize, op: &Op) -> State {
    let mut state = before.clone();
    state.next[thread] += 1;
    let State { registers, memory, .. } = &mut state;
    let registers = &mut registers[thread];
    if op.guard.is_some_and(|(register, value)| registers[register] != value) {
        return state;
    }
    match op.action {
        Action::Load { to, at, .. } => registers[to] = memory[at],
        Action::Store { at, value: Value::Is(value), .. } => memory[at] = value,
        Action::Store { at, value: Value::Plus(register, plus), .. } => {
            memory[at] = registers[register] + plus;
        }
        Action::Exchange { to, at, value, .. } => registers[to] = std::mem::replace(&mut memory[at], value),
        Action::Add { to, at, value, .. } => {
            registers[to] = memory[at];
            memory[at] += value;
        }
        Action::Cas { to, at, expected, value, .. } => {
            registers[to] = memory[at];
            memory[at] = if memory[at] == expected { value } else { memory[at] };
        }
        Action::Fence { .. } | Action::Barrier { .. } => {}
    }
    state
}
