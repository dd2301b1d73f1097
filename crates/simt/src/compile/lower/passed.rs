//! How values are passed to a kernel or a function: in the parameter block, in its frame, or in registers.

use crate::compile::layout::{self, Stack, align_of, size_of};
use crate::compile::lower::Body;
use crate::isa::op::Touched;
use crate::isa::op::call::Passed;
use crate::isa::op::place::{Place, bits};
use crate::isa::scope::Symbol;
use crate::machine::registers::Bank;
use crate::ptx::ast::{Function, Space, Variable};

/// Places parameters and results: a kernel's in the parameter block, a function's in its frame or in registers.
pub(super) fn signature<'t>(body: &mut Body<'t>, function: &Function<'t>) -> (Vec<Passed>, Vec<Passed>) {
    let mut block = Stack::default();
    let mut place = |variable: &Variable<'t>| {
        if variable.space == Space::Reg {
            return register(body, variable);
        }
        let stack = if function.is_entry { &mut block } else { &mut body.frame };
        let address = stack.place(size_of(variable).unwrap_or(0), align_of(variable));
        let place = layout::place(variable, address, !function.is_entry);
        body.scope.declare(variable.name, Symbol::Variable(place));
        Passed::Variable(place)
    };
    (function.params.iter().map(&mut place).collect(), function.returns.iter().map(&mut place).collect())
}

/// Declares a parameter or result that is a register. The first columns of a function always fit.
fn register<'t>(body: &mut Body<'t>, variable: &Variable<'t>) -> Passed {
    let name = variable.name;
    body.scope.declare(name, Symbol::Register(variable.ty));
    let (level, _) = body.scope.find(name.text).unwrap_or((0, Symbol::Register(variable.ty)));
    let bank = Bank::of(variable.ty).unwrap_or(Bank::Wide);
    let slot = body.scope.column(level, name.text, 0, bank).unwrap_or(0);
    Passed::Column { bank, slot, bytes: u64::from(bits(variable.ty).div_ceil(8)) }
}

/// The column of a result that is a register, as its function's end reads it.
pub(super) fn read(passed: &Passed) -> Option<Touched> {
    match *passed {
        Passed::Column { bank, slot, .. } => Some(Touched { bank, slot, is_written: false }),
        Passed::Variable(_) | Passed::Nothing => None,
    }
}

pub(super) fn variable_of(passed: &Passed) -> Option<Place> {
    match *passed {
        Passed::Variable(place) => Some(place),
        Passed::Column { .. } | Passed::Nothing => None,
    }
}
