//! Which instructions compute a temporary: a register that is written before it is read wherever control may come from
//! elsewhere.
//!
//! A function is cut into segments: at the targets of branches, after branches, and before and after instructions at which
//! lanes may wait for others. Lanes that do not run stand at the start of a segment, unless their turn ended inside of one. A
//! temporary holds nothing there that anybody reads, so an instruction that computes one may overwrite it for these lanes
//! too, and it can stay affine ([`crate::machine::registers`]) in a branch that some lanes of a block do not take.
//! It is told without an analysis of the flow: a temporary's first access in every segment is a write.
//! Left out are functions with calls, which pass registers that their instructions do not name.

use crate::compile::inst::Pc;
use crate::compile::program::{Code, Program};
use crate::isa::op::{Op, Touched};
use crate::machine::registers::Bank;

/// Marks the instructions of a function that compute temporaries, and the starts of its segments.
pub fn mark(program: &mut Program, code: &Code) {
    let range = code.start as usize..code.end as usize;
    for start in starts(program, code) {
        // Others are the end of the function, and places that are none.
        if range.contains(&(start as usize)) {
            program.insts[start as usize].starts_segment = true;
        }
    }
    if program.insts[range.clone()].iter().any(|inst| matches!(inst.op, Op::Call(_))) {
        return;
    }
    let registers = Registers::of(program, code);
    for pc in range {
        let results = program.writes(&program.insts[pc]);
        let is_temporary = !results.is_empty() && results.iter().all(|result| !registers.last(*result));
        program.insts[pc].is_temporary = is_temporary && !program.insts[pc].guarded;
    }
}

/// Where the segments of a function start, and some places outside of it.
fn starts(program: &Program, code: &Code) -> Vec<Pc> {
    let mut starts = vec![code.start];
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
            | Op::ClusterBarrier(_)
            | Op::Mbarrier(_)
            | Op::Collective(_)
            | Op::Matrix(_)
            | Op::Warpgroup(_) => starts.extend([pc, pc + 1]),
            _ => {}
        }
    }
    starts
}

/// What is known of a register.
#[derive(Clone, Copy, Default)]
struct Register {
    /// The segment that has written it, by its number from 1 on.
    written_in: Pc,
    /// Whether a segment reads it, or writes it for some lanes only, before it writes it.
    lasts: bool,
}

/// What is known of the registers of a function, of all banks in turn.
#[derive(Default)]
struct Registers(Vec<Register>);

impl Registers {
    fn of(program: &Program, code: &Code) -> Registers {
        let (mut registers, mut segment) = (Registers::default(), 0);
        for inst in &program.insts[code.start as usize..code.end as usize] {
            segment += Pc::from(inst.starts_segment);
            program.reads(inst).iter().for_each(|read| registers.at(*read).is_needed(segment));
            if inst.guarded {
                registers
                    .at(Touched { bank: Bank::Preds, slot: inst.guard, is_written: false })
                    .is_needed(segment);
            }
            for written in program.writes(inst) {
                let register = registers.at(*written);
                if inst.guarded {
                    register.is_needed(segment);
                } else {
                    register.written_in = segment;
                }
            }
        }
        registers
    }

    fn place(register: Touched) -> usize {
        usize::from(register.slot) * 3 + register.bank as usize
    }

    fn at(&mut self, register: Touched) -> &mut Register {
        let place = Registers::place(register);
        if place >= self.0.len() {
            self.0.resize(place + 1, Register::default());
        }
        &mut self.0[place]
    }

    fn last(&self, register: Touched) -> bool {
        self.0[Registers::place(register)].lasts
    }
}

impl Register {
    fn is_needed(&mut self, segment: Pc) {
        self.lasts |= self.written_in != segment;
    }
}
