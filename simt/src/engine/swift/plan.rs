//! How each instruction of a kernel is carried out while a warp runs together: decided once, before the launch.

use std::sync::{Arc, OnceLock};

use super::arithmetic::Formula;
use super::live::Live;
use super::regions::regions;
use super::shapes::{Given, Shape, Shapes, registers};
use crate::engine::program::{Code, Inst, Pc, Program};
use crate::isa::Op;
use crate::isa::memory::{Access, Base, Memory};
use crate::isa::operands::bank_of;
use crate::isa::scope::Bank;
use crate::isa::sync::Action;
use crate::isa::value::{Alu, Kind, Linear, Scalar};
use crate::machine::block::BARRIERS;
use crate::machine::line::Line;
use crate::machine::registers::{Registers, Slot};

/// The number of a register that is kept as a line.
pub type LineIndex = u8;

/// How an instruction is carried out for a warp that runs together.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// On columns, as the plain loop does.
    Column,
    /// Once, for all lanes: a register that is uniform.
    Once(Scalar),
    /// Once, for all lanes: a predicate.
    Test(Scalar),
    /// On the two numbers of each register.
    Linear(Formula),
    /// On predicates, by a table.
    Logic(u8),
    /// On the two numbers of both registers: a predicate.
    Compare(Linear),
    /// Reads a special register that is a line.
    Special,
    /// Puts where a variable of the frame lies into a line.
    FrameAddress,
    /// Loads what all lanes share into a line.
    LoadOne,
    /// Loads columns from addresses that are a line.
    Load,
    /// Stores columns to addresses that are a line.
    Store,
    /// Goes to memory by columns of addresses.
    Touch,
    /// Orders memory.
    Fence,
    /// Asks who is active or where an address lies, or reads a special register that is none of the others.
    Tell,
    /// Does nothing.
    Nothing,
    /// A branch that lanes skip a region by, up to where they meet.
    Region(Pc),
    /// Another branch.
    Branch(Pc),
    /// Waits for all threads of the block at a barrier of this number.
    Meet(u8),
    /// Changes who runs together, or may.
    Control,
}

impl How {
    /// Its bit: what the loop asks for one after the other, the most frequent first. A jump by `match` would be to a place
    /// that the processor has to guess.
    const fn bit(self) -> u8 {
        match self {
            How::Linear(_) => Step::LINEAR,
            How::LoadOne | How::Load | How::Store | How::Touch => Step::MEMORY,
            How::Compare(_) => Step::COMPARE,
            How::Column => Step::COLUMN,
            How::Logic(_) => Step::LOGIC,
            How::Branch(_) => Step::BRANCH,
            How::Region(_) => Step::REGION,
            _ => 0,
        }
    }
}

/// An instruction, ready to be carried out so.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// How.
    pub how: How,
    /// The bit of that.
    bit: u8,
    /// Whether what it writes may be written for all lanes.
    pub is_free: bool,
    /// Whether the result or, of a comparison, a source has 64 bits.
    pub wide: bool,
    /// How many instructions from here on follow each other whatever happens, and are for all lanes; 0 where this one does
    /// not.
    pub straight: u32,
    /// Whether a predicate guards it.
    pub guarded: bool,
    /// Which.
    pub guard: Slot,
    /// All ones where lanes run for which the predicate is false.
    pub flip: u32,
    /// The line that it writes.
    pub to: LineIndex,
    /// The lines that it reads.
    pub from: [LineIndex; 4],
    /// Which of its sources are predicates, one bit a source.
    pub predicates: u8,
    /// Their slots.
    pub preds: [Slot; 4],
    /// The column that the result is wanted in besides.
    pub column: Option<Slot>,
}

impl Step {
    /// A bit for what is frequent.
    pub const LINEAR: u8 = 1;
    /// Loads, stores, atomics.
    pub const MEMORY: u8 = 2;
    /// Comparisons of lines.
    pub const COMPARE: u8 = 4;
    /// What is done to columns.
    pub const COLUMN: u8 = 8;
    /// What is done to predicates.
    pub const LOGIC: u8 = 16;
    /// Branches that open no region.
    pub const BRANCH: u8 = 32;
    /// Branches that do.
    pub const REGION: u8 = 64;

    /// Whether it is of one of these kinds.
    #[inline(always)]
    pub const fn is(&self, bit: u8) -> bool {
        self.bit & bit != 0
    }
}

/// A register that is kept as a line, and where its column is.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// Its column.
    pub slot: Slot,
    /// Whether the column is of 64 bits.
    pub wide: bool,
    /// Whether it must be the same in all lanes.
    pub is_uniform: bool,
    /// Its number among all registers, for [`Live`].
    pub register: usize,
}

/// The plans of a kernel, one for each [`Given`], made when they are first wanted.
#[derive(Clone, Debug, Default)]
pub struct Plans([OnceLock<Option<Arc<Plan>>>; 2]);

impl Plans {
    /// The plan of `kernel`, whose plans these are.
    pub fn get(&self, program: &Program, kernel: u32, given: Given) -> Option<Arc<Plan>> {
        let plan = &self.0[usize::from(given.in_rows)];
        plan.get_or_init(|| Plan::new(program, kernel, given).map(Arc::new)).clone()
    }
}

/// How a kernel is carried out.
#[derive(Debug)]
pub struct Plan {
    /// Its first instruction.
    pub start: Pc,
    /// Its instructions.
    pub steps: Vec<Step>,
    /// The registers that are kept as lines.
    pub kept: Vec<Kept>,
    /// The predicates that must be the same in all lanes: slot, and number among all registers.
    pub uniform_predicates: Vec<(Slot, usize)>,
    /// What the lines hold when a thread starts.
    pub image: Vec<Line>,
    /// The columns, wide or narrow, that a thread may read before it writes them.
    pub first_read: Vec<(bool, Slot)>,
    /// Which registers matter where.
    pub live: Live,
}

impl Plan {
    /// The plan of a kernel; `None` where it is too large for one, or uses mbarriers.
    pub fn new(program: &Program, kernel: u32, given: Given) -> Option<Plan> {
        let code = program.functions.get(kernel as usize)?;
        let insts = (program.insts.as_slice(), program.meanings.as_slice());
        if uses_mbarriers(program, code) {
            return None;
        }
        let live = Live::new(insts.0, insts.1, &program.tables, code)?;
        let ends = regions(insts.0, &program.tables, code);
        let shapes = Shapes::new(insts, code, &live, &ends, given);
        let lines = Lines::new(&shapes, &code.image)?;
        let mut builder = Builder { program, shapes, lines, ends, start: code.start, wanted: Vec::new() };
        builder.want_columns(code.end);
        let mut steps: Vec<Step> = (code.start..code.end).map(|pc| builder.step(pc)).collect();
        find_stretches(&mut steps);
        let first_read = builder.first_read(&live, code.end);
        let uniform_predicates = builder.uniform_predicates(code.image.preds.len());
        let Lines { kept, image, .. } = builder.lines;
        Some(Plan { start: code.start, steps, kept, uniform_predicates, image, first_read, live })
    }
}

/// Whether a kernel, or a function that it may call, uses mbarriers: who touches memory beside them is watched on the plain
/// way only.
fn uses_mbarriers(program: &Program, kernel: &Code) -> bool {
    let here = |code: &Code| {
        let insts = &program.insts[code.start as usize..code.end as usize];
        insts.iter().any(|inst| matches!(inst.op, Op::Mbarrier(_)))
    };
    here(kernel) || program.functions.iter().any(|code| !code.is_entry && here(code))
}

/// The registers that are lines, numbered.
struct Lines {
    narrow: Vec<Option<LineIndex>>,
    wide: Vec<Option<LineIndex>>,
    kept: Vec<Kept>,
    image: Vec<Line>,
}

impl Lines {
    fn new(shapes: &Shapes<'_>, image: &Registers) -> Option<Lines> {
        let mut lines = Lines { narrow: Vec::new(), wide: Vec::new(), kept: Vec::new(), image: Vec::new() };
        for (slot, column) in image.narrow.iter().enumerate() {
            let index = lines.add(shapes, (Bank::Narrow, slot as Slot), u64::from(column[0]));
            lines.narrow.push(index);
        }
        for (slot, column) in image.wide.iter().enumerate() {
            let index = lines.add(shapes, (Bank::Wide, slot as Slot), column[0]);
            lines.wide.push(index);
        }
        (lines.kept.len() <= 1 + usize::from(LineIndex::MAX)).then_some(lines)
    }

    fn add(&mut self, shapes: &Shapes<'_>, (bank, slot): (Bank, Slot), value: u64) -> Option<LineIndex> {
        let shape = shapes.get(bank, slot);
        if shape == Shape::Column {
            return None;
        }
        let register = shapes.numbering.of(bank, slot);
        let is_uniform = shape == Shape::Uniform;
        self.kept.push(Kept { slot, wide: bank == Bank::Wide, is_uniform, register });
        self.image.push(Line::uniform(value));
        Some((self.kept.len() - 1) as LineIndex)
    }

    fn index(&self, bank: Bank, slot: Slot) -> Option<LineIndex> {
        match bank {
            Bank::Narrow => self.narrow[slot as usize],
            Bank::Wide => self.wide[slot as usize],
            Bank::Preds => None,
        }
    }
}

/// Builds the steps of a plan.
struct Builder<'p> {
    program: &'p Program,
    shapes: Shapes<'p>,
    lines: Lines,
    ends: Vec<Pc>,
    start: Pc,
    /// By line: whether somebody reads its column.
    wanted: Vec<bool>,
}

impl Builder<'_> {
    /// Finds the lines whose columns somebody reads.
    fn want_columns(&mut self, end: Pc) {
        self.wanted = vec![false; self.lines.kept.len()];
        for pc in self.start..end {
            let how = self.how(pc, &self.program.insts[pc as usize]);
            let by_column = match how {
                How::Column | How::Touch | How::Tell | How::Meet(_) | How::Control => {
                    registers(self.touched(pc), false).collect()
                }
                How::Store => self.stored(pc),
                _ => Vec::new(),
            };
            for (bank, slot) in by_column {
                if let Some(line) = self.lines.index(bank, slot) {
                    self.wanted[line as usize] = true;
                }
            }
        }
    }

    /// The registers that some thread may read as it found them, and that are no constants.
    fn first_read(&self, live: &Live, end: Pc) -> Vec<(bool, Slot)> {
        let written = (self.start..end).flat_map(|pc| registers(self.touched(pc), true));
        let is_live =
            |&(bank, slot): &(Bank, Slot)| live.at(self.start, self.shapes.numbering.of(bank, slot));
        let mut found: Vec<_> =
            written.filter(is_live).map(|(bank, slot)| (bank == Bank::Wide, slot)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn uniform_predicates(&self, count: usize) -> Vec<(Slot, usize)> {
        let all = (0..count).map(|slot| (slot as Slot, self.shapes.numbering.of(Bank::Preds, slot as Slot)));
        all.filter(|&(slot, _)| self.shapes.get(Bank::Preds, slot) == Shape::Uniform).collect()
    }

    fn touched(&self, pc: Pc) -> &[crate::isa::operands::Touched] {
        &self.program.meanings[pc as usize].touched
    }

    /// The registers that a store writes to memory: all that it reads besides the base of its address.
    fn stored(&self, pc: Pc) -> Vec<(Bank, Slot)> {
        let inst = &self.program.insts[pc as usize];
        let Op::Store(access) = &inst.op else { return Vec::new() };
        let bank = if access.register_bits == 64 { Bank::Wide } else { Bank::Narrow };
        let values = [inst.args.d, inst.args.q, inst.args.b, inst.args.c];
        values.into_iter().take(usize::from(access.count)).map(|slot| (bank, slot)).collect()
    }

    fn how(&self, pc: Pc, inst: &Inst) -> How {
        let is_line = |bank, slot| self.shapes.get(bank, slot) != Shape::Column;
        match &inst.op {
            Op::Alu(_) => self.arithmetic(pc, inst),
            Op::Special { wide, .. } if is_line(bank_of_width(*wide), inst.args.d) => How::Special,
            Op::FrameAddress { wide, .. } if is_line(bank_of_width(*wide), inst.args.d) => How::FrameAddress,
            Op::Special { .. } | Op::FrameAddress { .. } | Op::IsSpace { .. } | Op::ActiveMask => How::Tell,
            Op::Load(access) if !self.is_by_line(access, inst) => How::Touch,
            Op::Load(access) => {
                let bank = bank_of_width(access.register_bits == 64);
                if access.count == 1 && is_line(bank, inst.args.d) { How::LoadOne } else { How::Load }
            }
            Op::Store(access) if self.is_by_line(access, inst) => How::Store,
            Op::Store(_) | Op::Atomic(_) => How::Touch,
            Op::Fence(_) => How::Fence,
            Op::Hint => How::Nothing,
            Op::Branch { target, .. } => match self.ends[(pc - self.start) as usize] {
                0 => How::Branch(*target),
                end => How::Region(end),
            },
            Op::Barrier(barrier) if !barrier.counted && barrier.action == Action::Sync && !inst.guarded => {
                self.constant(inst.args.a).map_or(How::Control, How::Meet)
            }
            _ => How::Control,
        }
    }

    /// The number of a barrier, where that is a constant and one that there is.
    fn constant(&self, slot: Slot) -> Option<u8> {
        let end = self.start + self.ends.len() as u32;
        let mut written = (self.start..end).flat_map(|pc| registers(self.touched(pc), true));
        let line = self
            .lines
            .index(Bank::Narrow, slot)
            .filter(|_| !written.any(|one| one == (Bank::Narrow, slot)))?;
        u8::try_from(self.lines.image[line as usize].base)
            .ok()
            .filter(|&number| usize::from(number) < BARRIERS)
    }

    /// Whether the addresses of an access are a line, in a memory where that helps.
    fn is_by_line(&self, access: &Access, inst: &Inst) -> bool {
        let memory =
            matches!(access.address.memory, Memory::Global | Memory::Shared | Memory::Const | Memory::Param);
        memory && self.shapes.base(access, inst) != Shape::Column
    }

    fn arithmetic(&self, pc: Pc, inst: &Inst) -> How {
        let Some(alu) = self.program.meanings[pc as usize].alu else { return How::Column };
        let shape = |(kind, slot)| self.shapes.get(bank_of(kind), slot);
        let widest = Shapes::sources(&alu, inst).map(shape).fold(Shape::Uniform, Shape::max);
        let &[result] = alu.results else { return How::Column };
        let result_shape = self.shapes.get(bank_of(result), inst.args.d);
        let is_free = self.shapes.is_free[(pc - self.start) as usize];
        match (alu.scalar, widest, result_shape) {
            // A predicate is a mask wherever it comes from.
            _ if matches!(alu.linear, Linear::Logic { .. }) => logic(&alu),
            (_, Shape::Uniform | Shape::Linear, _) if result == Kind::Pred && is_compare(&alu) => {
                How::Compare(alu.linear)
            }
            (Some(scalar), Shape::Uniform, _) if result == Kind::Pred => How::Test(scalar),
            (scalar, Shape::Uniform | Shape::Linear, Shape::Uniform | Shape::Linear) if is_free => {
                match (formula(&alu), scalar) {
                    (Some((formula, _)), _) => How::Linear(formula),
                    (None, Some(scalar)) => How::Once(scalar),
                    (None, None) => How::Column,
                }
            }
            _ => How::Column,
        }
    }

    fn step(&self, pc: Pc) -> Step {
        let inst = &self.program.insts[pc as usize];
        let how = self.how(pc, inst);
        let mut step = Step {
            how,
            bit: how.bit(),
            is_free: self.shapes.is_free[(pc - self.start) as usize],
            wide: false,
            straight: 0,
            guarded: inst.guarded,
            guard: inst.guard,
            flip: inst.flip,
            to: 0,
            from: [0; 4],
            predicates: 0,
            preds: [0; 4],
            column: None,
        };
        match &inst.op {
            Op::Alu(_) => self.bind_arithmetic(pc, inst, &mut step),
            Op::Special { wide, .. } | Op::FrameAddress { wide, .. } => {
                self.bind_result(inst, *wide, &mut step);
            }
            Op::Load(access) => {
                self.bind_base(access, inst, &mut step);
                if matches!(how, How::LoadOne) {
                    self.bind_result(inst, access.register_bits == 64, &mut step);
                }
            }
            Op::Store(access) => self.bind_base(access, inst, &mut step),
            _ => {}
        }
        step
    }

    fn bind_arithmetic(&self, pc: Pc, inst: &Inst, step: &mut Step) {
        let Some(alu) = self.program.meanings[pc as usize].alu else { return };
        if matches!(step.how, How::Column) {
            return;
        }
        for (index, (kind, slot)) in Shapes::sources(&alu, inst).enumerate() {
            step.from[index] = self.lines.index(bank_of(kind), slot).unwrap_or(0);
            step.preds[index] = slot;
            step.predicates |= u8::from(kind == Kind::Pred) << index;
        }
        if let (How::Linear(_), Some((_, order))) = (step.how, formula(&alu)) {
            let from = step.from;
            order.iter().enumerate().for_each(|(to, &source)| step.from[to] = from[source]);
        }
        match alu.results {
            [Kind::Pred] => step.wide = matches!(alu.sources[0], Kind::B64),
            [kind] => self.bind_result(inst, bank_of(*kind) == Bank::Wide, step),
            _ => {}
        }
    }

    /// Binds the line of result `d`, and says whether its column is wanted.
    fn bind_result(&self, inst: &Inst, wide: bool, step: &mut Step) {
        step.wide = wide;
        let Some(line) = self.lines.index(bank_of_width(wide), inst.args.d) else { return };
        step.to = line;
        step.column = self.wanted[line as usize].then_some(inst.args.d);
    }

    fn bind_base(&self, access: &Access, inst: &Inst, step: &mut Step) {
        let line = match access.address.base {
            Base::Wide => self.lines.index(Bank::Wide, inst.args.a),
            Base::Narrow => self.lines.index(Bank::Narrow, inst.args.a),
            Base::Absolute | Base::Frame => None,
        };
        step.from[0] = line.unwrap_or(0);
    }
}

fn logic(alu: &Alu) -> How {
    let Linear::Logic { table } = alu.linear else { return How::Column };
    How::Logic(table)
}

/// The formula of an instruction on registers of 32 or 64 bits.
fn formula(alu: &Alu) -> Option<(Formula, [usize; 3])> {
    let is_narrow = |kind: &Kind| matches!(kind, Kind::B16 | Kind::Pred);
    if alu.sources.iter().chain(alu.results).any(is_narrow) {
        return None;
    }
    Formula::of(alu.linear, bank_of(alu.results[0]) == Bank::Wide)
}

/// Finds how far each instruction is from the next branch, guard or change of who runs together.
fn find_stretches(steps: &mut [Step]) {
    let mut length = 0;
    for step in steps.iter_mut().rev() {
        let turns = matches!(step.how, How::Branch(_) | How::Region(_) | How::Meet(_) | How::Control);
        length = if turns || step.guarded { 0 } else { length + 1 };
        step.straight = length;
    }
}

fn is_compare(alu: &Alu) -> bool {
    matches!(alu.linear, Linear::Compare { .. }) && alu.sources[0] != Kind::B16
}

fn bank_of_width(wide: bool) -> Bank {
    if wide { Bank::Wide } else { Bank::Narrow }
}
