//! Which instructions compute a temporary: a register that is written before it is read wherever control may come from
//! elsewhere.
//!
//! A function is cut into segments: at the targets of branches, after branches, and before and after instructions at which
//! lanes may wait for others. Lanes that do not run stand at the start of a segment, unless their turn ended inside of one. A
//! temporary holds nothing there that anybody reads, so an instruction that computes one may overwrite it for these lanes
//! too, and it can stay affine ([`crate::machine::registers`]) in a branch that some lanes of a block do not take.
//! It is told without an analysis of the flow: a temporary's first access in every segment is a write.
//! Left out are functions with calls, which pass registers that their instructions do not name.

use std::collections::{BTreeMap, BTreeSet};

use crate::compile::inst::{AT_RETURN, NEVER, Pc};
use crate::compile::program::{Code, Program};
use crate::isa::op::{Op, Touched};
use crate::machine::registers::{Bank, Slot};

/// Marks the instructions of a function that compute temporaries, and the starts of its segments.
pub fn mark(program: &mut Program, code: &Code) {
    let range = code.start as usize..code.end as usize;
    let starts = starts(program, code);
    for &start in &starts {
        program.insts[start as usize].starts_segment = true;
    }
    if program.insts[range.clone()].iter().any(|inst| matches!(inst.op, Op::Call(_))) {
        return;
    }
    let lasting = lasting(program, code, &starts);
    for pc in range {
        let results = program.writes(&program.insts[pc]);
        let is_temporary =
            !results.is_empty() && results.iter().all(|result| !lasting.contains(&key(*result)));
        program.insts[pc].is_temporary = is_temporary && !program.insts[pc].guarded;
    }
}

fn key(touched: Touched) -> (Bank, Slot) {
    (touched.bank, touched.slot)
}

/// Where the segments of a function start.
fn starts(program: &Program, code: &Code) -> BTreeSet<Pc> {
    let mut starts = BTreeSet::from([code.start]);
    for pc in code.start..code.end {
        let inst = &program.insts[pc as usize];
        match inst.op {
            Op::Branch { target, meet } => starts.extend([target, meet, pc + 1]),
            Op::BranchIndexed { list, meet } => {
                starts.extend(&program.tables[list as usize]);
                starts.extend([pc, meet, pc + 1]);
            }
            Op::Call(_)
            | Op::Return
            | Op::Exit
            | Op::Trap
            | Op::Unsupported(_)
            | Op::Barrier(_)
            | Op::Mbarrier(_)
            | Op::Collective(_) => starts.extend([pc, pc + 1]),
            _ => {}
        }
    }
    starts.retain(|&start| start != NEVER && start != AT_RETURN && start < code.end);
    starts
}

/// The registers that a segment reads, or writes for some lanes only, before it writes them.
fn lasting(program: &Program, code: &Code, starts: &BTreeSet<Pc>) -> BTreeSet<(Bank, Slot)> {
    let mut lasting = BTreeSet::new();
    let mut written: BTreeMap<(Bank, Slot), Pc> = BTreeMap::new();
    let mut segment = code.start;
    for pc in code.start..code.end {
        if starts.contains(&pc) {
            segment = pc;
        }
        let inst = &program.insts[pc as usize];
        let [reads, writes] =
            [program.reads(inst), program.writes(inst)].map(|registers| registers.iter().copied().map(key));
        let is_old = |register: &(Bank, Slot)| written.get(register) != Some(&segment);
        lasting.extend(reads.filter(is_old));
        if inst.guarded {
            let guard = std::iter::once((Bank::Preds, inst.guard));
            lasting.extend(guard.chain(writes).filter(is_old));
        } else {
            written.extend(writes.map(|register| (register, segment)));
        }
    }
    lasting
}
