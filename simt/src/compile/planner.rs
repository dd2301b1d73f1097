//! Decides how each instruction of a kernel is carried out while a warp runs together.

use std::sync::Arc;

use crate::compile::affine::Formula;
use crate::compile::inst::{Inst, Pc};
use crate::compile::liveness::{Live, Numbering};
use crate::compile::plan::{Given, How, Kept, LineIndex, Plan, Step};
use crate::compile::program::{Code, Program};
use crate::compile::regions::regions;
use crate::compile::shapes::{Shape, Shapes, registers};
use crate::isa::op::Op;
use crate::isa::op::Touched;
use crate::isa::op::memory::{Access, Base, Memory};
use crate::isa::op::place::Bank;
use crate::isa::op::sync::Action;
use crate::isa::operands::bank_of;
use crate::isa::value::{Alu, Kind, Linear};
use crate::launch::Launch;
use crate::machine::block::BARRIERS;
use crate::machine::line::Line;
use crate::machine::registers::{Registers, Slot, WARP_SIZE};

/// The plan of a launch; `None` where it goes the plain way: because it asks to, because loads may return something else
/// in each lane, or because the kernel is too large.
pub fn plan_for(program: &Program, kernel: u32, launch: &Launch) -> Option<Arc<Plan>> {
    if launch.weak_memory { None } else { plan_of_threads(program, kernel, launch) }
}

/// The plan of a launch whose loads return the same in all lanes, whatever it asks for.
pub fn plan_of_threads(program: &Program, kernel: u32, launch: &Launch) -> Option<Arc<Plan>> {
    if launch.hooks.plain {
        return None;
    }
    let block = launch.block;
    let in_rows = block.y == 1 && block.z == 1 || block.x.is_multiple_of(WARP_SIZE as u32);
    let given = Given { in_rows };
    program.functions[kernel as usize].plans.get(given, || plan(program, kernel, given))
}

/// The plan of a kernel; `None` where it is too large for one, or uses mbarriers.
fn plan(program: &Program, kernel: u32, given: Given) -> Option<Plan> {
    let code = program.functions.get(kernel as usize)?;
    let insts = (program.insts.as_slice(), program.meanings.as_slice());
    if uses_mbarriers(program, code) {
        return None;
    }
    let live =
        Live::new(insts.0, insts.1, &program.tables, code.start..code.end, Numbering(code.image.shape()))?;
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

    fn touched(&self, pc: Pc) -> &[Touched] {
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
