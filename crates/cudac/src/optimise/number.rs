//! Value numbering: what has been computed is not computed again, and what is known is not loaded again.
//!
//! Registers are assigned more than once, so every register has a number for the value that it holds at a point of the
//! program. Where paths meet, the registers that one of them may have changed get new numbers; the places are those where
//! SSA form would have phis (iterated dominance frontiers), but no phis are made. A value may be used again as long as
//! some register still holds it. Memory is numbered like registers, by space and by type: a store of a `float` does not
//! change what was loaded as an `int`.
//!
//! That is the rule of C++ for types ([basic.lval], paragraph 11), with `char` allowed to be anything. Another thread's
//! stores are not looked for: between two barriers or atomics, which are `asm` that touches memory, a program must not
//! depend on them ([intro.races]).
//!
//! ```text
//! add.s32 %r3, %r1, %r2;       %r3 is value 7, "Add of values 1 and 2"
//! mov.u32 %r4, %r3;            %r4 is value 7 as well
//! add.s32 %r5, %r2, %r1;  ->   mov.u32 %r5, %r3;
//! ```

use crate::code::fold::fold;
use crate::code::lists::Lists;
use crate::code::{
    Access, Arith, Base, Binary, Class, Compare, End, Function, Inst, Op, Operand, Ptx, Reg, Space, Ty,
};
use crate::source::budget;
use crate::source::map::Map;

/// The number of a value; those of constants begin at [`CONSTANTS`].
type Value = u32;

const CONSTANTS: Value = 1 << 31;

/// Instructions with more arguments than that are computed again.
const MOST_ARGS: usize = 4;

/// The end of a chain.
const NONE: u32 = u32::MAX;

/// What computes a value. Two instructions with equal keys compute the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'t> {
    /// A constant in a register of some class.
    Known(Operand, Class),
    /// An operation on values, not on registers.
    Op(Op<'t>, Class, [Value; MOST_ARGS]),
    /// A load of the same place with the same value of its memory.
    Load { base: Base, base_value: Value, offset: i64, ty: Ty, memory: Value },
}

/// Types of memory that stores of other types do not change; the last stands for all of them.
const KINDS: usize = 6;
/// Constant memory does not change, and an unknown space is not remembered at all.
const SPACES: [Space; 3] = [Space::Global, Space::Shared, Space::Local];

struct Numbering<'f, 't> {
    function: &'f mut Function<'t>,
    tables: &'f mut Tables<'t>,
    /// How many of the blocks that have been entered are left by undoing what they changed.
    marks: usize,
    /// What `spaces::known` says of addresses, before the final inference.
    spaces: Vec<Option<Space>>,
    symbols: &'f [Space],
}

/// What is known at a point of a kernel. The tables keep their room from one kernel to the next.
#[derive(Default)]
pub(super) struct Tables<'t> {
    /// The number of the value of each register, and after the registers of each kind of memory.
    current: Vec<Value>,
    known: Map<Key<'t>, Value>,
    /// The last register that got a value, by the value unless it is a constant: a link of `chain`.
    holders: Vec<u32>,
    /// A register, and the one before that got the same value.
    chain: Vec<(Reg, u32)>,
    constants: Vec<Operand>,
    /// How what was changed since the first mark is undone.
    undo: Vec<Undo>,
}

impl Tables<'_> {
    /// Gives each register and each kind of memory a value of its own.
    fn clear(&mut self, variables: usize) {
        let Tables { current, known, holders, chain, constants, undo } = self;
        current.clear();
        current.extend(0..variables as Value);
        known.clear();
        holders.clear();
        holders.resize(variables, NONE);
        chain.clear();
        constants.clear();
        undo.clear();
    }
}

/// Values are known in all blocks that a block dominates, and forgotten when the walk leaves these.
enum Undo {
    /// The value of a kind of memory.
    Memory(u32, Value),
    /// The value of a register.
    Held(Reg, Value),
    /// An entry of `known`, by its position.
    Known(u32),
}

/// The walk goes down the tree of dominators: what was computed in a block is known in those below it.
pub(super) fn number<'t>(function: &mut Function<'t>, symbols: &[Space], tables: &mut Tables<'t>) {
    // `flow::simplify` has put them in this order.
    let order: Vec<usize> = (0..function.blocks.len()).collect();
    let predecessors = function.predecessors();
    let idom = function.dominators(&order, &predecessors);
    let registers = function.regs.len();
    let fresh = merged(function, &order, &predecessors, &idom);
    let children: Vec<_> = order.iter().skip(1).map(|block| (idom[*block], *block)).collect();
    let children = Lists::new(function.blocks.len(), &children);
    let spaces = super::spaces::known(function, symbols);
    tables.clear(registers + (KINDS + 1) * SPACES.len());
    let mut numbering = Numbering { function, tables, marks: 0, spaces, symbols };
    let mut stack = vec![(0, None)];
    while let Some((block, mark)) = stack.pop() {
        if let Some(mark) = mark {
            numbering.restore(mark);
            numbering.marks -= 1;
            continue;
        }
        // What is known at the end of the last block is of no use to others.
        if !stack.is_empty() {
            stack.push((block, Some(numbering.tables.undo.len())));
            numbering.marks += 1;
        }
        for variable in &fresh[block] {
            if *variable < registers {
                numbering.unknown(*variable as Reg);
            } else {
                numbering.forget_memory();
            }
        }
        numbering.block(block);
        stack.extend(children[block].iter().rev().map(|child| (*child, None)));
    }
}

/// For each block the registers that hold another value there than in the block that dominates it. One number more stands for all
/// kinds of memory.
fn merged(function: &Function<'_>, order: &[usize], predecessors: &Lists, idom: &[usize]) -> Lists {
    let mut frontier = Vec::new();
    // The last block that was noted to be in the frontier of each.
    let mut noted = vec![usize::MAX; function.blocks.len()];
    for block in order {
        let from = predecessors[*block].iter().copied().filter(|from| idom[*from] != usize::MAX);
        // With one predecessor nothing meets. The first block is entered from outside as well.
        if from.clone().nth(1).is_none() && *block != 0 {
            continue;
        }
        for mut runner in from {
            while runner != idom[*block] || *block == 0 {
                // What is above one that was noted was noted with it.
                if std::mem::replace(&mut noted[runner], *block) == *block || !budget::work(4) {
                    break;
                }
                frontier.push((runner, *block));
                if runner == 0 {
                    break;
                }
                runner = idom[runner];
            }
        }
    }
    let frontier = Lists::new(function.blocks.len(), &frontier);
    // The last block that changes a variable, and for each of these the one before.
    let mut changed: Vec<(usize, u32)> = Vec::new();
    let memory = function.regs.len();
    let mut last = vec![NONE; memory + 1];
    let mut note = |variable: usize, block: usize| {
        if changed.get(last[variable] as usize).is_none_or(|(known, _)| *known != block) {
            changed.push((block, std::mem::replace(&mut last[variable], changed.len() as u32)));
        }
    };
    for block in order {
        for inst in &function.blocks[*block].insts {
            inst.dsts.iter().for_each(|dst| note(*dst as usize, *block));
            if changes_memory(inst) {
                note(memory, *block);
            }
        }
    }
    let mut fresh = Vec::new();
    // The last variable that was noted to be fresh in each block.
    noted.fill(usize::MAX);
    let mut work = Vec::new();
    for (variable, last) in last.into_iter().enumerate() {
        let mut link = last;
        while let Some((block, before)) = changed.get(link as usize) {
            work.push(*block);
            link = *before;
        }
        // A register that is written once has one value, except that a loop brings it around.
        while let Some(block) = work.pop() {
            for target in &frontier[block] {
                if std::mem::replace(&mut noted[*target], variable) != variable && budget::work(4) {
                    fresh.push((*target, variable));
                    work.push(*target);
                }
            }
        }
    }
    Lists::new(function.blocks.len(), &fresh)
}

fn changes_memory(inst: &Inst<'_>) -> bool {
    match &inst.op {
        Op::Store(_) => true,
        Op::Ptx(ptx) => ptx.touches_memory,
        _ => false,
    }
}

/// Bytes can be part of anything.
fn kind(ty: Ty) -> usize {
    match ty {
        Ty::Pred | Ty::U8 | Ty::S8 => KINDS,
        Ty::U16 | Ty::S16 => 1,
        Ty::U32 | Ty::S32 => 2,
        Ty::U64 | Ty::S64 => 3,
        Ty::F32 => 4,
        Ty::F64 => 5,
    }
}

impl<'t> Numbering<'_, 't> {
    /// A value that nothing else has.
    fn fresh(&mut self) -> Value {
        self.tables.holders.push(NONE);
        (self.tables.holders.len() - 1) as Value
    }

    /// Which constant a value is, if it is one.
    fn constant(&self, value: Value) -> Option<Operand> {
        (value >= CONSTANTS).then(|| self.tables.constants[(value - CONSTANTS) as usize])
    }

    /// Notes how a change is undone, if anything comes after that knows nothing of it.
    fn note(&mut self, undo: Undo) {
        if self.marks > 0 {
            self.tables.undo.push(undo);
        }
    }

    /// A kind of memory has another value.
    fn change(&mut self, memory: usize) {
        let value = self.fresh();
        let old = std::mem::replace(&mut self.tables.current[memory], value);
        self.note(Undo::Memory(memory as u32, old));
    }

    /// Back to what was known at a mark, in reverse order.
    fn restore(&mut self, mark: usize) {
        while self.tables.undo.len() > mark {
            match self.tables.undo.pop() {
                Some(Undo::Memory(memory, old)) => self.tables.current[memory as usize] = old,
                // What was learnt after it is forgotten already, except for constants, so this is where it was put.
                Some(Undo::Known(at)) => self.tables.known.remove_at(at as usize),
                Some(Undo::Held(reg, old)) => {
                    let value = std::mem::replace(&mut self.tables.current[reg as usize], old);
                    if let Some(holder) = self.tables.holders.get_mut(value as usize) {
                        *holder = self.tables.chain.pop().map_or(NONE, |(_, before)| before);
                    }
                }
                None => return,
            }
        }
    }

    fn learn(&mut self, key: Key<'t>, value: Value) {
        let at = self.tables.known.len();
        if self.tables.known.insert(key, value).is_none() {
            self.note(Undo::Known(at as u32));
        }
    }

    fn hold(&mut self, reg: Reg, value: Value) {
        let old = std::mem::replace(&mut self.tables.current[reg as usize], value);
        self.note(Undo::Held(reg, old));
        // Nobody asks which register holds a constant.
        if let Some(holder) = self.tables.holders.get_mut(value as usize) {
            let link = self.tables.chain.len() as u32;
            self.tables.chain.push((reg, std::mem::replace(holder, link)));
        }
    }

    /// The value of an operand. Constants have values too, so that two instructions with the same constant have the
    /// same key.
    fn of(&mut self, operand: Operand, class: Class) -> Value {
        match operand {
            Operand::Reg(reg) => self.tables.current[reg as usize],
            known => {
                let key = Key::Known(known, class);
                if let Some(value) = self.tables.known.get(&key) {
                    return *value;
                }
                // Constants stay known: they depend on no block.
                let value = CONSTANTS + self.tables.constants.len() as Value;
                self.tables.constants.push(known);
                self.tables.known.insert(key, value);
                value
            }
        }
    }

    /// The oldest register that holds a value now.
    fn holder(&self, value: Value, class: Class) -> Option<Reg> {
        let (mut link, mut oldest) = (self.tables.holders[value as usize], None);
        while let Some((reg, before)) = self.tables.chain.get(link as usize) {
            if self.tables.current[*reg as usize] == value && self.function.class(*reg) == class {
                oldest = Some(*reg);
            }
            link = *before;
        }
        oldest
    }

    /// What to read in place of a register.
    fn best(&self, reg: Reg) -> Operand {
        let value = self.tables.current[reg as usize];
        if let Some(known) = self.constant(value) {
            // A float's bits may have been made by instructions for integers.
            return match (known, self.function.class(reg)) {
                (Operand::Int(bits), Class::F32) => Operand::F32(bits as u32),
                (Operand::Int(bits), Class::F64) => Operand::F64(bits as u64),
                _ => known,
            };
        }
        self.holder(value, self.function.class(reg)).map_or(Operand::Reg(reg), Operand::Reg)
    }

    /// A branch whose condition has become known is a jump.
    fn block(&mut self, at: usize) {
        let mut insts = std::mem::take(&mut self.function.blocks[at].insts);
        for inst in &mut insts {
            self.inst(inst);
        }
        self.function.blocks[at].insts = insts;
        if let End::Branch { condition, is_negated, yes, no } = self.function.blocks[at].end {
            self.function.blocks[at].end = match self.best(condition) {
                Operand::Reg(condition) => End::Branch { condition, is_negated, yes, no },
                Operand::Int(value) if (value != 0) != is_negated => End::Jump(yes),
                _ => End::Jump(no),
            };
        }
    }

    fn inst(&mut self, inst: &mut Inst<'t>) {
        self.improve(inst);
        if inst.op == Op::Mov
            && let ([dst], [arg]) = (&inst.dsts[..], &inst.args[..])
        {
            let (dst, arg) = (*dst, *arg);
            let class = self.function.class(dst);
            let same = arg.reg().is_none_or(|reg| self.function.class(reg) == class);
            let value = if same { self.of(arg, class) } else { self.fresh() };
            self.hold(dst, value);
            return;
        }
        if let [dst] = inst.dsts[..]
            && inst.op.is_pure()
            && inst.args.len() <= MOST_ARGS
        {
            let class = self.function.class(dst);
            if let Some(known) = fold(&inst.op, inst.args).or_else(|| self.is_in_space(inst)) {
                self.copy(inst, dst, known);
                return;
            }
            let key = self.key(inst, class);
            self.compute(inst, dst, class, key);
            return;
        }
        match inst.op {
            Op::Load(access) if !access.is_volatile && inst.dsts.len() == 1 => {
                let dst = inst.dsts[0];
                match self.load_key(&access) {
                    Some(key) => self.compute(inst, dst, access.ty.class(), key),
                    None => self.unknown(dst),
                }
            }
            Op::Store(access) => self.store(&access, inst.args),
            Op::Ptx(ptx) if ptx.touches_memory => {
                self.forget_memory();
                inst.dsts.iter().for_each(|dst| self.unknown(*dst));
            }
            _ => inst.dsts.iter().for_each(|dst| self.unknown(*dst)),
        }
    }

    /// What `isspacep` says about an address whose state space is known.
    fn is_in_space(&self, inst: &Inst<'_>) -> Option<Operand> {
        let Op::Ptx(ptx) = &inst.op else { return None };
        let asked = ptx.text.strip_prefix("isspacep").filter(|_| ptx.is_own)?;
        let space = self.spaces.get(inst.args.first()?.reg()? as usize).copied().flatten()?;
        (space != Space::Generic).then(|| Operand::Int(asked.starts_with(space.suffix()).into()))
    }

    /// Replaces operands by older registers with the same values, and by constants where an instruction takes them.
    fn improve(&mut self, inst: &mut Inst<'_>) {
        let takes_numbers = match &inst.op {
            Op::Ptx(ptx) => takes_numbers(ptx),
            Op::ToGeneric(_) | Op::ToGlobal => false,
            _ => true,
        };
        // What `asm` reads and writes (`+`) is one operand of its text, so it is read from the register that is written.
        let updated = if matches!(inst.op, Op::Ptx(_)) { inst.dsts.to_vec() } else { Vec::new() };
        inst.replace(&mut |reg| match self.best(reg) {
            _ if updated.contains(&reg) => Operand::Reg(reg),
            Operand::Reg(new) => Operand::Reg(new),
            known if takes_numbers => known,
            _ => Operand::Reg(reg),
        });
        // The second operand is the one that instructions take a number for.
        if let Op::Arith(
            Arith::Binary(Binary::Add | Binary::Mul | Binary::And | Binary::Or | Binary::Xor)
            | Arith::Min
            | Arith::Max,
            _,
        ) = inst.op
            && matches!(inst.args[0], Operand::Int(_))
            && matches!(inst.args[1], Operand::Reg(_))
        {
            inst.args.swap(0, 1);
        }
        if let Op::Set(compare, ty) = inst.op
            && !matches!(inst.args[0], Operand::Reg(_))
            && matches!(inst.args[1], Operand::Reg(_))
        {
            inst.op = Op::Set(mirrored(compare), ty);
            inst.args.swap(0, 1);
        }
    }

    fn key(&mut self, inst: &Inst<'t>, class: Class) -> Key<'t> {
        let mut values = [NONE; MOST_ARGS];
        for (nth, (arg, value)) in inst.args.iter().zip(&mut values).enumerate() {
            let class = arg.reg().map_or(arg_class(&inst.op, nth, class), |reg| self.function.class(reg));
            *value = self.of(*arg, class);
        }
        let commutes = matches!(
            inst.op,
            Op::Arith(Arith::Binary(Binary::Add | Binary::Mul | Binary::And | Binary::Or | Binary::Xor), _)
        );
        // `a + b` and `b + a` are one value.
        if commutes && values[0] > values[1] {
            values.swap(0, 1);
        }
        Key::Op(inst.op, class, values)
    }

    /// A value is computed, unless a register holds it.
    fn compute(&mut self, inst: &mut Inst<'t>, dst: Reg, class: Class, key: Key<'t>) {
        if let Some(value) = self.tables.known.get(&key).copied() {
            if let Some(known) = self.constant(value) {
                self.copy(inst, dst, known);
                return;
            }
            if let Some(holder) = self.holder(value, class) {
                self.copy(inst, dst, Operand::Reg(holder));
                return;
            }
            // No register holds it any more, so it is computed again, under the same number.
            self.hold(dst, value);
            return;
        }
        let value = self.fresh();
        self.learn(key, value);
        self.hold(dst, value);
    }

    /// The instruction becomes a copy.
    fn copy(&mut self, inst: &mut Inst<'t>, dst: Reg, from: Operand) {
        (inst.op, inst.args) = (Op::Mov, self.function.arena.list_mut(&[from]));
        let value = self.of(from, self.function.class(dst));
        self.hold(dst, value);
    }

    fn unknown(&mut self, dst: Reg) {
        let value = self.fresh();
        self.hold(dst, value);
    }

    /// The numbers of memory are behind those of the registers.
    fn memory_of(&self, space: usize, kind: usize) -> usize {
        self.function_registers() + space * (KINDS + 1) + kind
    }

    fn function_registers(&self) -> usize {
        self.tables.current.len() - (KINDS + 1) * SPACES.len()
    }

    /// `None` if it is not known: then a store may change everything.
    fn space(&self, access: &Access) -> Option<usize> {
        let space = match access.place.base {
            Base::Slot(_) => Space::Local,
            Base::Symbol(global) => self.symbols[global],
            Base::Reg(reg) => self.spaces.get(reg as usize).copied().flatten()?,
        };
        SPACES.iter().position(|known| *known == space)
    }

    fn load_key(&mut self, access: &Access) -> Option<Key<'t>> {
        let space = self.space(access)?;
        let memory = self.tables.current[self.memory_of(space, kind(access.ty))];
        let (base, base_value) = match access.place.base {
            // Which register it is does not matter, only its value.
            Base::Reg(reg) => (Base::Reg(0), self.tables.current[reg as usize]),
            other => (other, 0),
        };
        Some(Key::Load { base, base_value, offset: access.place.offset, ty: access.ty, memory })
    }

    /// Afterwards the place is known to hold the value, unless the store may have cut it.
    fn store(&mut self, access: &Access, values: &[Operand]) {
        match self.space(access) {
            None => self.forget_memory(),
            Some(space) => {
                let changed = kind(access.ty);
                for memory in 0..=KINDS {
                    if memory == changed || memory == KINDS || changed == KINDS {
                        self.change(self.memory_of(space, memory));
                    }
                }
                let [value] = *values else { return };
                if access.is_volatile || access.ty.size() < 4 {
                    return;
                }
                let value = self.of(value, access.ty.class());
                if let Some(key) = self.load_key(access) {
                    self.learn(key, value);
                }
            }
        }
    }

    fn forget_memory(&mut self) {
        for memory in self.function_registers()..self.tables.current.len() {
            self.change(memory);
        }
    }
}

/// The comparison of the operands the other way round.
fn mirrored(compare: Compare) -> Compare {
    match compare {
        Compare::Lt => Compare::Gt,
        Compare::Le => Compare::Ge,
        Compare::Gt => Compare::Lt,
        Compare::Ge => Compare::Le,
        same => same,
    }
}

/// Whether an instruction of this compiler takes numbers in place of registers.
fn takes_numbers(ptx: &Ptx<'_>) -> bool {
    ptx.is_own
        && !ptx.text.starts_with("vprintf")
        && ptx.addresses.iter().all(Option::is_none)
        && !ptx.classes.contains(&Class::Pred)
}

/// The class of a constant as an argument of an instruction with a result of some class.
fn arg_class(op: &Op<'_>, nth: usize, class: Class) -> Class {
    match op {
        Op::Set(_, ty) => ty.class(),
        Op::MulWide(_) => Class::B32,
        Op::Select(_) if nth == 2 => Class::Pred,
        Op::Convert { from, .. } if nth == 0 => from.class(),
        Op::Arith(Arith::Binary(Binary::Shl | Binary::Shr), _) if nth == 1 => Class::B32,
        _ => class,
    }
}
