//! Which state space an address belongs to.
//!
//! A register that only ever holds addresses of one space is used with that space's instructions, as NVIDIA's compiler
//! does; where spaces meet, the addresses are converted to generic ones. Addresses in global memory are generic already.

use std::rc::Rc;

use crate::check::Checked;
use crate::check::typed::Space as Declared;
use crate::code::{
    Access, Arith, Base, Binary, Class, Dsts, Function, Inst, Op, Operand, Ptx, PtxOperand, Reg, Space,
};

/// The space of each register, if it holds an address.
type Known = Vec<Option<Space>>;

pub(super) fn infer(function: &mut Function, checked: &Checked<'_>) {
    let known = known(function, &|global| of_symbol(checked, global));
    rewrite(function, &known, checked);
}

/// The spaces of registers as far as they are known before the code is final.
pub(super) fn guess(function: &Function, symbols: &[Space]) -> Vec<Option<Space>> {
    known(function, &|global| symbols[global])
}

fn known(function: &Function, symbol: &dyn Fn(usize) -> Space) -> Known {
    let mut known: Known = vec![None; function.regs.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            for dst in &inst.dsts {
                let found = space_of(inst, &known, symbol);
                let joined = join(known[*dst as usize], found);
                if function.regs[*dst as usize] == Class::B64 && joined != known[*dst as usize] {
                    known[*dst as usize] = joined;
                    changed = true;
                }
            }
        }
    }
    known
}

fn join(a: Option<Space>, b: Option<Space>) -> Option<Space> {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(a), Some(b)) if a == b => Some(a),
        _ => Some(Space::Generic),
    }
}

/// The space of a variable of the module.
pub(crate) fn of_symbol(checked: &Checked<'_>, global: usize) -> Space {
    match checked.program.globals[global].space {
        Declared::Global => Space::Global,
        Declared::Constant => Space::Constant,
        Declared::Shared => Space::Shared,
    }
}

/// The arguments that may be an address, if the result of the instruction is one: of a product and a sum, what is added.
fn carried(op: &Op) -> Option<std::ops::RangeFrom<usize>> {
    match op {
        Op::Mov | Op::Select(_) | Op::Arith(Arith::Binary(Binary::Add | Binary::Sub), _) => Some(0..),
        Op::Mad(_) => Some(2..),
        _ => None,
    }
}

fn space_of(inst: &Inst, known: &Known, symbol: &dyn Fn(usize) -> Space) -> Option<Space> {
    let of = |arg: &Operand| arg.reg().and_then(|reg| known[reg as usize]);
    match &inst.op {
        Op::ToGlobal => Some(Space::Global),
        Op::Symbol(global) => Some(symbol(*global)),
        Op::SlotAddress(_) => Some(Space::Local),
        Op::Load(_) | Op::Ptx(_) => Some(Space::Generic),
        Op::ToGeneric(_) => match of(&inst.args[0]) {
            Some(Space::Global) => Some(Space::Global),
            None => None,
            Some(_) => Some(Space::Generic),
        },
        op => inst.args[carried(op)?].iter().map(of).fold(None, join),
    }
}

fn rewrite(function: &mut Function, known: &Known, checked: &Checked<'_>) {
    let Function { blocks, regs, .. } = function;
    for block in blocks {
        let insts = block.take();
        for mut inst in insts {
            let dst = inst.dsts.first().copied();
            let is_generic = dst.is_some_and(|dst| known[dst as usize] == Some(Space::Generic));
            match &mut inst.op {
                Op::ToGeneric(space) => {
                    let from = inst.args[0].reg().and_then(|reg| known[reg as usize]);
                    match from.filter(|from| needs_conversion(*from)) {
                        Some(from) => *space = from,
                        None => inst.op = Op::Mov,
                    }
                }
                Op::Load(access) | Op::Store(access) => set_space(access, known, checked),
                Op::Symbol(_) | Op::SlotAddress(_) if is_generic => {
                    let own = space_of(&inst, known, &|global| of_symbol(checked, global));
                    if let Some(space) = own.filter(|space| needs_conversion(*space)) {
                        regs.push(Class::B64);
                        let from = (regs.len() - 1) as Reg;
                        let dsts = std::mem::replace(&mut inst.dsts, Dsts::from_slice(&[from]));
                        let line = inst.line;
                        block.insts.push(inst);
                        inst = Inst::new(Op::ToGeneric(space), &dsts, &[Operand::Reg(from)], line);
                    }
                }
                Op::Ptx(ptx) => {
                    for at in generic_addresses(ptx) {
                        convert(&mut inst.args[at], known, regs, &mut block.insts, inst.line);
                    }
                    *ptx = with_spaces(ptx, &inst.args, known);
                }
                op => {
                    if let Some(carried) = carried(op).filter(|_| is_generic) {
                        for arg in &mut inst.args[carried] {
                            convert(arg, known, regs, &mut block.insts, inst.line);
                        }
                    }
                }
            }
            block.insts.push(inst);
        }
    }
}

/// The arguments that are addresses of an instruction which does not name their space, as `%s1` does for operand 1.
fn generic_addresses(ptx: &Ptx) -> Vec<usize> {
    let is_generic = |(number, operand): (usize, &PtxOperand)| match operand {
        PtxOperand::Argument(at) if ptx.addresses[*at].is_some() => {
            (!ptx.text.contains(&format!("%s{number}"))).then_some(*at)
        }
        _ => None,
    };
    ptx.operands.iter().enumerate().filter_map(is_generic).collect()
}

fn needs_conversion(space: Space) -> bool {
    !matches!(space, Space::Generic | Space::Global)
}

fn convert(arg: &mut Operand, known: &Known, regs: &mut Vec<Class>, insts: &mut Vec<Inst>, line: u32) {
    let Operand::Reg(reg) = *arg else { return };
    let Some(space) = known[reg as usize].filter(|space| needs_conversion(*space)) else { return };
    regs.push(Class::B64);
    let dst = (regs.len() - 1) as Reg;
    insts.push(Inst::new(Op::ToGeneric(space), &[dst], &[*arg], line));
    *arg = Operand::Reg(dst);
}

fn set_space(access: &mut Access, known: &Known, checked: &Checked<'_>) {
    access.space = match access.place.base {
        Base::Slot(_) => Space::Local,
        Base::Symbol(global) => of_symbol(checked, global),
        Base::Reg(reg) => known[reg as usize].unwrap_or(Space::Generic),
    };
}

fn with_spaces(ptx: &Ptx, args: &[Operand], known: &Known) -> Rc<Ptx> {
    let of = |arg: &Operand| arg.reg().and_then(|reg| known.get(reg as usize).copied().flatten());
    Rc::new(Ptx {
        text: ptx.text.clone(),
        addresses: ptx.addresses.clone(),
        operands: ptx.operands.clone(),
        classes: ptx.classes.clone(),
        spaces: args.iter().map(|arg| of(arg).unwrap_or(Space::Generic)).collect(),
        ..*ptx
    })
}
