//! Variables in memory to registers.
//!
//! A slot whose address nothing takes and whose accesses are all at known offsets becomes one register for each number
//! in it. What remains is local memory.

use crate::code::{
    Access, Base, Binary, Class, Compare, Dsts, Function, Inst, Op, Operand, Place, Reg, Slot, Ty,
};

/// The numbers of a slot, sorted by their offsets.
type Parts = Vec<(i64, Ty)>;

/// The registers that they become.
type Registers = Vec<(i64, Reg)>;

pub(super) fn promote(function: &mut Function) {
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
    rewrite(function, &registers);
    number_memory(function, &registers);
}

fn note(parts: &mut [Option<Parts>], slots: &[Slot], access: &Access) {
    let Base::Slot(slot) = access.place.base else { return };
    let Some(known) = &mut parts[slot] else { return };
    let offset = access.place.offset;
    let at = known.binary_search_by_key(&offset, |(offset, _)| *offset).unwrap_or_else(|at| {
        known.insert(at, (offset, access.ty));
        at
    });
    let ty = known[at].1;
    let fits = ty == access.ty
        || ty.wide().size() == access.ty.wide().size() && ty.size() == access.ty.size() && ty.size() >= 4;
    // An access outside of the variable is a mistake; in memory it is found.
    let is_inside = offset >= 0 && offset as u64 + access.ty.size() <= slots[slot].size;
    if !fits || !is_inside || access.is_volatile {
        parts[slot] = None;
    }
}

fn overlaps(parts: &Parts) -> bool {
    let mut end = i64::MIN;
    parts.iter().any(|(offset, ty)| {
        let overlaps = *offset < end;
        end = offset.saturating_add(ty.size() as i64);
        overlaps
    })
}

fn new_register(function: &mut Function, slot: usize, offset: i64, ty: Ty) -> Reg {
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

fn rewrite(function: &mut Function, registers: &[Option<Registers>]) {
    let Function { blocks, regs, .. } = function;
    for block in blocks {
        let insts = block.take();
        for inst in insts {
            let access = match &inst.op {
                Op::Load(access) | Op::Store(access) => *access,
                _ => {
                    block.insts.push(inst);
                    continue;
                }
            };
            let Base::Slot(slot) = access.place.base else {
                block.insts.push(inst);
                continue;
            };
            let found = registers[slot].as_ref().and_then(|parts| {
                let at = parts.binary_search_by_key(&access.place.offset, |(offset, _)| *offset);
                at.ok().map(|at| parts[at].1)
            });
            match found {
                Some(reg) => {
                    let is_load = matches!(inst.op, Op::Load(_));
                    block.insts.push(if is_load {
                        Inst::new(Op::Mov, &inst.dsts, &[Operand::Reg(reg)], inst.line)
                    } else {
                        Inst::new(Op::Mov, &[reg], &inst.args, inst.line)
                    });
                }
                None => in_memory(&mut block.insts, regs, inst, access),
            }
        }
    }
}

/// Truth values are bytes in memory, and addresses are valid for every space.
fn in_memory(insts: &mut Vec<Inst>, regs: &mut Vec<Class>, inst: Inst, access: Access) {
    let mut new_reg = |class| {
        regs.push(class);
        (regs.len() - 1) as Reg
    };
    let line = inst.line;
    match (&inst.op, access.ty) {
        (Op::Load(_), Ty::Pred) => {
            let byte = new_reg(Class::B32);
            let op = Op::Load(Access { ty: Ty::U8, ..access });
            insts.push(Inst::new(op, &[byte], &[], line));
            let args = [Operand::Reg(byte), Operand::Int(0)];
            insts.push(Inst::new(Op::Set(Compare::Ne, Ty::U32), &inst.dsts, &args, line));
        }
        (Op::Store(_), Ty::Pred) => {
            let byte = new_reg(Class::B32);
            let args = [Operand::Int(1), Operand::Int(0), inst.args[0]];
            let select = match inst.args[0] {
                Operand::Int(value) => Inst::new(Op::Mov, &[byte], &[Operand::Int(value)], line),
                _ => Inst::new(Op::Select(Ty::U32), &[byte], &args, line),
            };
            insts.push(select);
            let op = Op::Store(Access { ty: Ty::U8, ..access });
            insts.push(Inst::new(op, &[], &[Operand::Reg(byte)], line));
        }
        (Op::Store(_), Ty::U64) if matches!(inst.args[0], Operand::Reg(_)) => {
            let generic = new_reg(Class::B64);
            let op = Op::ToGeneric(crate::code::Space::Generic);
            insts.push(Inst::new(op, &[generic], &inst.args, line));
            insts.push(Inst::new(inst.op, &[], &[Operand::Reg(generic)], line));
        }
        _ => insts.push(inst),
    }
}

/// What is left becomes one piece of local memory, the last slot; the others are gone.
fn number_memory(function: &mut Function, registers: &[Option<Registers>]) {
    let mut offsets = vec![0i64; function.slots.len()];
    let (mut size, mut align) = (0u64, 1u64);
    for (nth, slot) in function.slots.iter().enumerate() {
        if registers[nth].is_none() {
            let start = size.next_multiple_of(slot.align);
            offsets[nth] = start as i64;
            size = start + slot.size;
            align = align.max(slot.align);
        }
    }
    function.slots = vec![Slot { size, align: align.max(8), name: None }];
    let Function { blocks, regs, .. } = function;
    for block in blocks {
        let insts = block.take();
        for mut inst in insts {
            if let Op::Load(Access { place, .. }) | Op::Store(Access { place, .. }) = &mut inst.op
                && let Base::Slot(slot) = place.base
            {
                *place = Place { base: Base::Slot(0), ..place.after(offsets[slot] as u64) };
            }
            if let Op::SlotAddress(slot) = inst.op {
                let start = offsets[slot];
                inst.op = Op::SlotAddress(0);
                if start != 0 {
                    regs.push(Class::B64);
                    let base = (regs.len() - 1) as Reg;
                    let dsts = std::mem::replace(&mut inst.dsts, Dsts::from_slice(&[base]));
                    let line = inst.line;
                    block.insts.push(inst);
                    let op = Op::Arith(crate::code::Arith::Binary(Binary::Add), Ty::S64);
                    let args = [Operand::Reg(base), Operand::Int(start)];
                    block.insts.push(Inst::new(op, &dsts, &args, line));
                    continue;
                }
            }
            block.insts.push(inst);
        }
    }
}
