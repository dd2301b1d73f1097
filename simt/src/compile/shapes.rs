//! Which registers of a kernel are the same in all lanes, which are linear in the lane, and which are neither.
//!
//! A register has one shape wherever it stands: the widest that any instruction gives it, found by widening until nothing
//! changes. That is enough, because compilers hardly use a register twice. What is written for some lanes only keeps the
//! others' values, and is neither, unless these are never read again ([`crate::compile::liveness`]). It is what holds as long as all
//! lanes of a warp run together; where they do not, the plain loop runs, which knows columns only.

use crate::compile::inst::{Inst, Pc};
use crate::compile::liveness::{Live, Numbering};
use crate::compile::plan::Given;
use crate::compile::program::Code;
use crate::isa::op::Touched;
use crate::isa::op::memory::{Access, Base, Memory};
use crate::isa::op::place::Bank;
use crate::isa::op::{Meaning, Op};
use crate::isa::special::{Axis, Special};
use crate::isa::value::{Alu, Kind, Linear};
use crate::machine::registers::Slot;

/// What a register is over the lanes of a warp that runs together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// The same in all lanes.
    Uniform,
    /// `base + stride * lane`.
    Linear,
    /// Anything.
    Column,
}

/// The shapes of a kernel's registers.
#[derive(Debug)]
pub struct Shapes<'p> {
    insts: &'p [Inst],
    meanings: &'p [Meaning],
    /// How registers are numbered.
    pub numbering: Numbering,
    of: Vec<Shape>,
    given: Given,
    /// By instruction from the kernel's first: whether it may write without looking at who is active.
    pub is_free: Vec<bool>,
    start: Pc,
}

impl<'p> Shapes<'p> {
    /// Finds the shapes of a kernel's registers.
    pub fn new(
        (insts, meanings): (&'p [Inst], &'p [Meaning]),
        code: &Code,
        live: &Live,
        ends: &[Pc],
        given: Given,
    ) -> Shapes<'p> {
        let numbering = Numbering(code.image.shape());
        let of = vec![Shape::Uniform; numbering.count()];
        let (is_free, start) = (Vec::new(), code.start);
        let mut shapes = Shapes { insts, meanings, numbering, of, given, is_free, start };
        shapes.is_free = (code.start..code.end).map(|pc| shapes.may_write_freely(pc, live, ends)).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for pc in code.start..code.end {
                changed |= shapes.widen(pc);
            }
        }
        shapes
    }

    /// The shape of a register.
    pub fn get(&self, bank: Bank, slot: Slot) -> Shape {
        self.of[self.numbering.of(bank, slot)]
    }

    /// Whether what an instruction writes may be written for all lanes: those that it is not for never read it.
    fn may_write_freely(&self, pc: Pc, live: &Live, ends: &[Pc]) -> bool {
        if self.insts[pc as usize].guarded {
            return false;
        }
        let around = (self.start..pc).filter_map(|from| {
            let end = ends[(from - self.start) as usize];
            (end > pc).then_some(end)
        });
        let mut written = self.meanings[pc as usize].touched.iter().filter(|touch| touch.is_written);
        let ends: Vec<Pc> = around.collect();
        written.all(|touch| ends.iter().all(|&end| !live.at(end, self.numbering.of(touch.bank, touch.slot))))
    }

    /// Widens what an instruction writes; whether anything changed.
    fn widen(&mut self, pc: Pc) -> bool {
        let result = self.result(pc);
        let mut changed = false;
        for touch in self.meanings[pc as usize].touched.iter().filter(|touch| touch.is_written) {
            let shape = &mut self.of[self.numbering.of(touch.bank, touch.slot)];
            changed |= *shape < result;
            *shape = result.max(*shape);
        }
        changed
    }

    /// The shape of what an instruction writes.
    fn result(&self, pc: Pc) -> Shape {
        if !self.is_free[(pc - self.start) as usize] {
            return Shape::Column;
        }
        let inst = &self.insts[pc as usize];
        let meaning = &self.meanings[pc as usize];
        match &inst.op {
            Op::Alu(_) => meaning.alu.map_or(Shape::Column, |alu| self.arithmetic(&alu, inst)),
            Op::Special { what, .. } => self.special(*what),
            Op::FrameAddress { .. } => Shape::Uniform,
            Op::Load(access) => self.load(access, inst),
            _ => Shape::Column,
        }
    }

    /// The shape of an address's base.
    pub fn base(&self, access: &Access, inst: &Inst) -> Shape {
        match access.address.base {
            Base::Absolute => Shape::Uniform,
            Base::Wide => self.get(Bank::Wide, inst.args.a),
            Base::Narrow => self.get(Bank::Narrow, inst.args.a),
            Base::Frame => Shape::Column,
        }
    }

    fn load(&self, access: &Access, inst: &Inst) -> Shape {
        let is_shared = match access.address.memory {
            Memory::Global | Memory::Shared | Memory::Const | Memory::Param => true,
            Memory::Local | Memory::Frame | Memory::Generic => false,
        };
        let one = is_shared && access.count == 1 && self.base(access, inst) == Shape::Uniform;
        if one { Shape::Uniform } else { Shape::Column }
    }

    /// The shape of what a special register holds.
    fn special(&self, what: Special) -> Shape {
        match what {
            Special::Tid(Axis::X) if self.given.in_rows => Shape::Linear,
            Special::Tid(_) if self.given.in_rows => Shape::Uniform,
            Special::Tid(_) | Special::LaneMask(_) => Shape::Column,
            Special::LaneId => Shape::Linear,
            _ => Shape::Uniform,
        }
    }

    /// The sources of an arithmetic instruction, as many as there are.
    pub fn sources(alu: &Alu, inst: &Inst) -> impl Iterator<Item = (Kind, Slot)> {
        let slots = [inst.args.a, inst.args.b, inst.args.c, inst.args.e];
        alu.sources.iter().copied().zip(slots)
    }

    fn arithmetic(&self, alu: &Alu, inst: &Inst) -> Shape {
        let shape = |(kind, slot)| self.get(crate::isa::operands::bank_of(kind), slot);
        let mut sources = [Shape::Uniform; 4];
        sources.iter_mut().zip(Shapes::sources(alu, inst)).for_each(|(to, source)| *to = shape(source));
        let widest = sources.into_iter().fold(Shape::Uniform, Shape::max);
        let only_predicates = alu.sources.iter().chain(alu.results).all(|&kind| kind == Kind::Pred);
        match widest {
            Shape::Uniform if alu.scalar.is_some() || only_predicates => Shape::Uniform,
            Shape::Linear if alu.sources[0] == Kind::B16 => Shape::Column,
            Shape::Linear => linear(alu.linear, sources),
            _ => Shape::Column,
        }
    }
}

/// The shape of what is made of sources of which one is linear and none is a column.
fn linear(linear: Linear, [a, b, _, _]: [Shape; 4]) -> Shape {
    let is_linear = match linear {
        Linear::No | Linear::Compare { .. } | Linear::Logic { .. } | Linear::ShiftRight { .. } => false,
        Linear::Copy | Linear::Negate | Linear::Add | Linear::Subtract | Linear::Widen { .. } => true,
        Linear::Multiply
        | Linear::MultiplyAdd
        | Linear::MultiplyWide { .. }
        | Linear::MultiplyWideAdd { .. } => a == Shape::Uniform || b == Shape::Uniform,
        Linear::ShiftLeft => b == Shape::Uniform,
    };
    if is_linear { Shape::Linear } else { Shape::Column }
}

/// The written or read registers of an instruction that must be columns in their banks.
pub fn registers(touched: &[Touched], written: bool) -> impl Iterator<Item = (Bank, Slot)> {
    let wanted = touched.iter().filter(move |touch| touch.is_written == written && touch.bank != Bank::Preds);
    wanted.map(|touch| (touch.bank, touch.slot))
}
