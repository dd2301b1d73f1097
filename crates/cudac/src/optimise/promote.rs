//! Variables in memory to registers.
//!
//! A slot whose address nothing takes and whose accesses are all at known offsets becomes one register for each number
//! in it. What remains is local memory, as with nvcc: arrays with unknown indices, and variables that a pointer points
//! to. There is no liveness in it: a variable has one register for all of its life, which `number` and `coalesce` then
//! see through. Loads and stores become copies.
//!
//! ```text
//! st [slot+4], %r1;       ->      mov %r9, %r1;       %r9 is the second number of the slot
//! ld %r2, [slot+4];               mov %r2, %r9;
//! ```

use crate::code::{
    Access, Arith, Base, Binary, Class, Compare, Function, Inst, Op, Operand, Place, Reg, Slot, Space, Ty,
    new_reg,
};
use crate::source::arena::Arena;

/// The numbers of a slot, sorted by their offsets.
type Parts = Vec<(i64, Ty)>;

/// The registers that they become.
type Registers = Vec<(i64, Reg)>;

pub(super) fn promote(function: &mut Function<'_>) {
    let mut parts: Vec<Option<Parts>> = vec![Some(Parts::new()); function.slots.len()];
    for inst in function.blocks.iter().flat_map(|block| &block.insts) {
        match &inst.op {
            Op::SlotAddress(slot) => parts[*slot] = None,
            Op::Load(access) | Op::Store(access) => note(&mut parts, &function.slots, access),
            _ => {}
        }
    }
    let registers: Vec<Option<Registers>> = parts
        .into_iter()
        .enumerate()
        .map(|(slot, parts)| {
            let parts = parts.filter(|parts| !overlaps(parts))?;
            Some(
                parts
                    .into_iter()
                    .map(|(offset, ty)| (offset, new_register(function, slot, offset, ty)))
                    .collect(),
            )
        })
        .collect();
    let starts = lay_out(function, &registers);
    let Function { arena, blocks, regs, .. } = function;
    let mut rewriting =
        Rewriting { registers: &registers, starts: &starts, arena: *arena, regs, new: Vec::new(), at: 0 };
    for block in blocks {
        for (at, inst) in block.insts.iter_mut().enumerate() {
            rewriting.at = at;
            rewriting.inst(inst);
        }
        block.insert(&mut rewriting.new);
    }
}

/// Notes an access to a slot, or that the slot stays in memory because of it.
fn note(parts: &mut [Option<Parts>], slots: &[Slot], access: &Access) {
    let Base::Slot(slot) = access.place.base else { return };
    let Some(known) = &mut parts[slot] else { return };
    let offset = access.place.offset;
    let at = known.binary_search_by_key(&offset, |(offset, _)| *offset).unwrap_or_else(|at| {
        known.insert(at, (offset, access.ty));
        at
    });
    let ty = known[at].1;
    // Two types of one size are the same bits, hence the same register; narrow ones are extended in different ways.
    let fits = ty == access.ty
        || ty.wide().size() == access.ty.wide().size() && ty.size() == access.ty.size() && ty.size() >= 4;
    // An access outside of the variable is a mistake; in memory it is found.
    let is_inside = offset >= 0 && offset as u64 + access.ty.size() <= slots[slot].size;
    // `volatile` asks for memory.
    if !fits || !is_inside || access.is_volatile {
        parts[slot] = None;
    }
}

/// Numbers that share bytes, as in a union, cannot be two registers.
fn overlaps(parts: &Parts) -> bool {
    let mut end = i64::MIN;
    parts.iter().any(|(offset, ty)| {
        let overlaps = *offset < end;
        end = offset.saturating_add(ty.size() as i64);
        overlaps
    })
}

/// A member of an object is shown with its offset.
fn new_register(function: &mut Function<'_>, slot: usize, offset: i64, ty: Ty) -> Reg {
    let reg = function.new_reg(ty.class());
    if let Some(name) = &function.slots[slot].name {
        let mut name = name.clone();
        if function.slots[slot].size > ty.size() {
            name.name = format!("{}+{offset}", name.name);
        }
        function.names.push((reg, name));
    }
    reg
}

/// What is left becomes one piece of local memory, the last slot; the others are gone. Returns where each slot is in it.
fn lay_out(function: &mut Function<'_>, registers: &[Option<Registers>]) -> Vec<u64> {
    let mut starts = vec![0; function.slots.len()];
    let (mut size, mut align) = (0u64, 1u64);
    for (nth, slot) in function.slots.iter().enumerate() {
        if registers[nth].is_none() {
            starts[nth] = size.next_multiple_of(slot.align);
            size = starts[nth] + slot.size;
            align = align.max(slot.align);
        }
    }
    function.slots = vec![Slot { size, align: align.max(8), name: None }];
    starts
}

/// The rewriting of a kernel's instructions.
struct Rewriting<'f, 't> {
    registers: &'f [Option<Registers>],
    starts: &'f [u64],
    arena: Arena<'t>,
    regs: &'f mut Vec<Class>,
    /// Instructions of a block, and which of the others they come before.
    new: Vec<(usize, Inst<'t>)>,
    /// The number of the instruction in its block.
    at: usize,
}

impl<'t> Rewriting<'_, 't> {
    fn before(&mut self, op: Op<'t>, dst: Reg, args: &[Operand], line: u32) {
        self.new.push((self.at, Inst::new(self.arena, op, &[dst], args, line)));
    }

    /// Adds an instruction that has the results of this one, which gets another result.
    fn after(&mut self, inst: &mut Inst<'t>, class: Class, op: Op<'t>, arg: Operand) {
        let own = new_reg(self.regs, class);
        let dsts = std::mem::replace(&mut inst.dsts, self.arena.list_mut(&[own]));
        let args = self.arena.list_mut(&[Operand::Reg(own), arg]);
        self.new.push((self.at + 1, Inst { op, dsts, args, line: inst.line }));
    }

    fn inst(&mut self, inst: &mut Inst<'t>) {
        match &mut inst.op {
            Op::SlotAddress(slot) => {
                let start = self.starts[std::mem::take(slot)];
                if start != 0 {
                    let add = Op::Arith(Arith::Binary(Binary::Add), Ty::S64);
                    self.after(inst, Class::B64, add, Operand::Int(start as i64));
                }
            }
            Op::Load(access) | Op::Store(access) => {
                let Base::Slot(slot) = access.place.base else { return };
                if let Some(reg) = self.register(slot, access.place.offset) {
                    match inst.op {
                        Op::Load(_) => inst.args = self.arena.list_mut(&[Operand::Reg(reg)]),
                        _ => inst.dsts = self.arena.list_mut(&[reg]),
                    }
                    inst.op = Op::Mov;
                } else {
                    let place = Place { base: Base::Slot(0), ..access.place };
                    access.place = place.after(self.starts[slot]);
                    self.in_memory(inst);
                }
            }
            _ => {}
        }
    }

    /// The register of a number in a slot.
    fn register(&self, slot: usize, offset: i64) -> Option<Reg> {
        let parts = self.registers[slot].as_ref()?;
        let at = parts.binary_search_by_key(&offset, |(offset, _)| *offset);
        at.ok().map(|at| parts[at].1)
    }

    /// In local memory truth values are bytes, and addresses are valid for every space.
    fn in_memory(&mut self, inst: &mut Inst<'t>) {
        let line = inst.line;
        match &mut inst.op {
            Op::Load(access) if access.ty == Ty::Pred => {
                access.ty = Ty::U8;
                self.after(inst, Class::B32, Op::Set(Compare::Ne, Ty::U32), Operand::Int(0));
            }
            Op::Store(access) if access.ty == Ty::Pred => {
                access.ty = Ty::U8;
                let byte = new_reg(self.regs, Class::B32);
                match inst.args[0] {
                    known @ Operand::Int(_) => self.before(Op::Mov, byte, &[known], line),
                    value => {
                        let args = [Operand::Int(1), Operand::Int(0), value];
                        self.before(Op::Select(Ty::U32), byte, &args, line);
                    }
                }
                inst.args[0] = Operand::Reg(byte);
            }
            Op::Store(access) if access.ty == Ty::U64 && inst.args[0].reg().is_some() => {
                let generic = new_reg(self.regs, Class::B64);
                self.before(Op::ToGeneric(Space::Generic), generic, inst.args, line);
                inst.args[0] = Operand::Reg(generic);
            }
            _ => {}
        }
    }
}
