//! A branch around one or two cheap instructions becomes a selection.
//!
//! As in `if (x < lowest) lowest = x;`: all lanes compute both, and no lane diverges. The branch has to be around one
//! block that nothing else leads to. That block is emptied into the one before it; its results go to new registers, of
//! which selections take what is wanted. Left out: both sides of an `if` at once, and anything that accesses memory or
//! may trap.
//!
//! ```text
//!     setp.lt.s32 %p1, %r1, %r2;          setp.lt.s32 %p1, %r1, %r2;
//!     @!%p1 bra after;            ->      selp.b32 %r2, %r1, %r2, %p1;
//!     mov.u32 %r2, %r1;
//! after:
//! ```

use crate::code::{Arith, Binary, Class, End, Function, Inst, Op, Operand, Reg, Ty, Unary};

/// Instructions that compute something, beside copies, that may be done without need. Lanes that do not take the branch
/// compute them for nothing.
const MAX_COMPUTED: usize = 1;

/// Copies.
const MAX_COPIED: usize = 2;

/// Says whether anything was changed.
pub(super) fn convert(function: &mut Function<'_>) -> bool {
    let predecessors = function.predecessors();
    let mut changed = false;
    for at in 0..function.blocks.len() {
        let End::Branch { condition, is_negated, yes, no } = function.blocks[at].end else {
            continue;
        };
        // Either side may be the one that is skipped.
        for (side, other, negated) in [(yes, no, is_negated), (no, yes, !is_negated)] {
            let is_around =
                side != at && predecessors[side].len() == 1 && function.blocks[side].end == End::Jump(other);
            if is_around && is_cheap(function, side) {
                select(function, at, side, condition, negated);
                function.blocks[at].end = End::Jump(other);
                changed = true;
                break;
            }
        }
    }
    changed
}

fn is_cheap(function: &Function<'_>, side: usize) -> bool {
    let insts = &function.blocks[side].insts;
    let copies = insts.iter().filter(|inst| inst.op == Op::Mov).count();
    if copies > MAX_COPIED || insts.len() - copies > MAX_COMPUTED {
        return false;
    }
    insts.iter().all(|inst| {
        let is_plain = match &inst.op {
            Op::Arith(arith, _) => !matches!(arith, Arith::Binary(Binary::Div | Binary::Rem)),
            Op::Mov
            | Op::Unary(..)
            | Op::Set(..)
            | Op::Select(_)
            | Op::Special(_)
            | Op::Mad(_)
            | Op::Convert { .. } => true,
            _ => false,
        };
        // A selection between truth values takes three instructions, unless one of them is known.
        let is_selectable = inst
            .dsts
            .iter()
            .all(|dst| function.class(*dst) != Class::Pred && function.class(*dst) != Class::B16)
            || inst.op == Op::Mov && matches!(inst.args[0], Operand::Int(_));
        is_plain && is_selectable
    })
}

/// Moves the instructions of `side` to the end of the block `at`.
fn select(function: &mut Function<'_>, at: usize, side: usize, condition: u32, is_negated: bool) {
    let arena = function.arena;
    let insts = std::mem::take(&mut function.blocks[side].insts);
    // What a register holds after the instructions so far, if the branch is taken.
    let mut renamed: Vec<(Reg, Operand)> = Vec::new();
    let mut selections = Vec::new();
    for mut inst in insts {
        // A register that was written on this side is read under its new name.
        inst.replace(&mut |reg| {
            let now = renamed.iter().rfind(|(old, _)| *old == reg);
            now.map_or(Operand::Reg(reg), |(_, now)| *now)
        });
        let line = inst.line;
        let dst = inst.dsts[0];
        let class = function.class(dst);
        let (copies, value) = (inst.op == Op::Mov, inst.args.first().copied());
        // A copied constant needs no register: the selection takes it.
        let new = match value {
            Some(value @ (Operand::Int(_) | Operand::F32(_) | Operand::F64(_))) if copies => value,
            _ => {
                let new = function.new_reg(class);
                inst.dsts = function.arena.list_mut(&[new]);
                function.blocks[at].insts.push(inst);
                Operand::Reg(new)
            }
        };
        renamed.push((dst, new));
        selections.push((dst, class, new, line));
    }
    // Selections come last, because one of the instructions may still read the old value of another's result.
    for (dst, class, new, line) in selections {
        let old = Operand::Reg(dst);
        let (op, args) = if let (Class::Pred, Operand::Int(value)) = (class, new) {
            // The value where the branch is taken: true is added, false is taken away.
            let (op, wants_negated) =
                if value != 0 { (Binary::Or, is_negated) } else { (Binary::And, !is_negated) };
            let condition = if wants_negated {
                let flipped = function.new_reg(Class::Pred);
                let op = Op::Unary(Unary::Not, Ty::Pred);
                let args = [Operand::Reg(condition)];
                function.blocks[at].insts.push(Inst::new(arena, op, &[flipped], &args, line));
                flipped
            } else {
                condition
            };
            (Op::Arith(Arith::Binary(op), Ty::Pred), arena.list_mut(&[old, Operand::Reg(condition)]))
        } else {
            let (yes, no) = if is_negated { (old, new) } else { (new, old) };
            (Op::Select(ty(class)), arena.list_mut(&[yes, no, Operand::Reg(condition)]))
        };
        function.blocks[at].insts.push(Inst { op, dsts: arena.list_mut(&[dst]), args, line });
    }
}

fn ty(class: Class) -> Ty {
    match class {
        Class::F32 => Ty::F32,
        Class::F64 => Ty::F64,
        Class::B64 => Ty::U64,
        _ => Ty::U32,
    }
}
