//! Which state space an address belongs to.
//!
//! A register that only ever holds addresses of one space is used with that space's instructions, as NVIDIA's compiler
//! does; where spaces meet, the addresses are converted to generic ones. Addresses in global memory are generic already.
//!
//! It is a data-flow problem over registers, with three answers: no address (so far), one space, or `Generic`. `number`
//! asks it early, to tell apart what stores may change; the answers are final only at the end. Specification: PTX ISA,
//! section 5.1 and `cvta`: in other spaces than the global one, an address and its generic form differ.
//!
//! ```text
//! mov.u64 %rd1, tile;             tile is in shared memory
//! ld.f32 %f1, [%rd1+4];   ->      ld.shared.f32 %f1, [%rd1+4];
//! ```

use crate::check::Checked;
use crate::check::asm::{Percent, percent};
use crate::check::typed::Space as Declared;
use crate::code::{
    Access, Arith, Base, Binary, Class, Function, Inst, Op, Operand, Ptx, PtxOperand, Reg, Space, new_reg,
};
use crate::source::arena::Arena;

/// The space of each register, if it holds an address.
type Known = Vec<Option<Space>>;

/// Gives every access its space; `symbols` are those of the module's variables.
pub(super) fn infer(function: &mut Function<'_>, symbols: &[Space]) {
    let known = known(function, symbols);
    rewrite(function, &known, symbols);
    function.spaces = known;
}

/// The spaces of registers as far as they are known. From below: at first nothing is an address, and joining only goes
/// up, so it ends.
pub(super) fn known(function: &Function<'_>, symbols: &[Space]) -> Known {
    let mut known: Known = vec![None; function.regs.len()];
    // Registers that may hold a number as it is. Null is a generic address, and of no other space.
    let mut constant = vec![false; function.regs.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            for dst in inst.dsts.iter().filter(|dst| function.class(**dst) == Class::B64) {
                let dst = *dst as usize;
                let mut joined = join(known[dst], space_of(inst, &known, symbols));
                let holds = constant[dst] || holds_constant(inst, &constant);
                if holds && joined.is_some_and(needs_conversion) {
                    joined = Some(Space::Generic);
                }
                changed |= joined != known[dst] || holds != constant[dst];
                (known[dst], constant[dst]) = (joined, holds);
            }
        }
    }
    known
}

/// Whether the result may be a number that the text has. What is added to an address is none.
fn holds_constant(inst: &Inst<'_>, constant: &[bool]) -> bool {
    let is_constant = |arg: &Operand| match arg {
        Operand::Reg(reg) => constant[*reg as usize],
        _ => true,
    };
    match &inst.op {
        Op::Mov => inst.args.iter().any(is_constant),
        Op::Select(_) => inst.args.iter().take(2).any(is_constant),
        _ => false,
    }
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
fn carried(op: &Op<'_>) -> Option<std::ops::RangeFrom<usize>> {
    match op {
        Op::Mov | Op::Select(_) | Op::Arith(Arith::Binary(Binary::Add | Binary::Sub), _) => Some(0..),
        Op::Mad(_) => Some(2..),
        _ => None,
    }
}

/// The space of the address that an instruction makes. What is loaded, or made by `asm`, may be anything: such
/// addresses are always generic.
fn space_of(inst: &Inst<'_>, known: &Known, symbols: &[Space]) -> Option<Space> {
    let of = |arg: &Operand| arg.reg().and_then(|reg| known[reg as usize]);
    match &inst.op {
        Op::ToGlobal => Some(Space::Global),
        Op::Symbol(global) => Some(symbols[*global]),
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

/// Where a generic address is made of one of a space, a conversion is put before the instruction. Where the result is
/// the address itself, it is put after it.
fn rewrite(function: &mut Function<'_>, known: &Known, symbols: &[Space]) {
    let Function { arena, blocks, regs, .. } = function;
    let mut conversions = Conversions { arena: *arena, known, regs, new: Vec::new(), at: 0 };
    for block in blocks {
        for (at, inst) in block.insts.iter_mut().enumerate() {
            conversions.at = at;
            let dst = inst.dsts.first().copied();
            let is_generic = dst.is_some_and(|dst| known.get(dst as usize) == Some(&Some(Space::Generic)));
            match &mut inst.op {
                Op::ToGeneric(space) => {
                    let from = inst.args[0].reg().and_then(|reg| known[reg as usize]);
                    match from.filter(|from| needs_conversion(*from)) {
                        Some(from) => *space = from,
                        None => inst.op = Op::Mov,
                    }
                }
                Op::Load(access) | Op::Store(access) => set_space(access, known, symbols),
                Op::Symbol(_) | Op::SlotAddress(_) if is_generic => {
                    let own = space_of(inst, known, symbols);
                    if let Some(space) = own.filter(|space| needs_conversion(*space)) {
                        let from = new_reg(conversions.regs, Class::B64);
                        let dsts = std::mem::replace(&mut inst.dsts, conversions.arena.list_mut(&[from]));
                        conversions.add(at + 1, space, dsts, from, inst.line);
                    }
                }
                Op::Ptx(ptx) => {
                    for at in generic_addresses(ptx, inst.args, known) {
                        conversions.convert(&mut inst.args[at], inst.line);
                    }
                }
                op => {
                    if let Some(carried) = carried(op).filter(|_| is_generic) {
                        for arg in &mut inst.args[carried] {
                            conversions.convert(arg, inst.line);
                        }
                    }
                }
            }
        }
        block.insert(&mut conversions.new);
    }
}

/// Conversions of addresses to generic ones, in a block.
struct Conversions<'f, 't> {
    arena: Arena<'t>,
    known: &'f Known,
    regs: &'f mut Vec<Class>,
    /// The conversions, and which of the other instructions they come before.
    new: Vec<(usize, Inst<'t>)>,
    /// The number of the instruction in its block.
    at: usize,
}

impl Conversions<'_, '_> {
    fn add(&mut self, at: usize, space: Space, dsts: &[Reg], from: Reg, line: u32) {
        self.new.push((at, Inst::new(self.arena, Op::ToGeneric(space), dsts, &[Operand::Reg(from)], line)));
    }

    /// Converts an argument of the instruction, if it is an address of one space.
    fn convert(&mut self, arg: &mut Operand, line: u32) {
        let Operand::Reg(reg) = *arg else { return };
        let space = self.known.get(reg as usize).copied().flatten();
        if let Some(space) = space.filter(|space| needs_conversion(*space)) {
            let dst = new_reg(self.regs, Class::B64);
            self.add(self.at, space, &[dst], reg, line);
            *arg = Operand::Reg(dst);
        }
    }
}

/// The arguments that are addresses of an instruction which does not name their space, as `%s1` does for operand 1. No
/// instruction with an order or an atomic operation can name local memory.
fn generic_addresses(ptx: &Ptx<'_>, args: &[Operand], known: &Known) -> Vec<usize> {
    let is_local = |at: usize| {
        args[at].reg().and_then(|reg| known.get(reg as usize).copied().flatten()) == Some(Space::Local)
    };
    let mut generic = Vec::new();
    for (number, operand) in ptx.operands.iter().enumerate() {
        let names_space = || ptx.text.split('%').any(|after| percent(after).0 == Percent::Space(number));
        match operand {
            PtxOperand::Argument(at) if ptx.addresses[*at].is_some() && (!names_space() || is_local(*at)) => {
                generic.push(*at);
            }
            _ => {}
        }
    }
    generic
}

fn needs_conversion(space: Space) -> bool {
    !matches!(space, Space::Generic | Space::Global)
}

fn set_space(access: &mut Access, known: &Known, symbols: &[Space]) {
    access.space = match access.place.base {
        Base::Slot(_) => Space::Local,
        Base::Symbol(global) => symbols[global],
        Base::Reg(reg) => known[reg as usize].unwrap_or(Space::Generic),
    };
}
