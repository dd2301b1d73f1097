//! Executes one instruction with given values, for the tests of the families.

use super::decode;
use super::needs::Needs;
use super::scope::{Scope, Symbol};
use crate::isa::op::{Op, Touched};
use crate::isa::value::{Args, Run};
use crate::machine::registers::{Bank, Image, Registers, Shape};
use crate::ptx::ast::{Guard, Ident, Instruction, Operand, Type};
use crate::ptx::{LineIndex, Span};

/// The type of a register and its bits.
pub type Bits = (Type, u64);

/// The bits of `d` after `opcode d, sources…`, executed by the upper half of a warp.
///
/// Also checks that every active lane got the same value and that no inactive lane was written. Panics if the
/// instruction is refused; use [`refusal`] to test for that.
pub fn eval(opcode: &str, result: Type, sources: &[Bits]) -> u64 {
    eval2(opcode, &[result], sources)[0]
}

/// [`eval`] for an instruction with two results, written `d|q`.
pub fn eval2(opcode: &str, results: &[Type], sources: &[Bits]) -> Vec<u64> {
    let mut scope = Scope::default();
    let (decoded, slots) = assemble(opcode, results, sources, &mut scope).unwrap();
    let mut registers: Image = scope.image.clone();
    let mask = 0xffff_0000;
    let Op::Alu(run) = decoded.op else { panic!("`{opcode}` is not arithmetic") };
    run_on(&mut registers, run, &decoded.args, mask);
    let (written, kept): (Vec<u32>, Vec<u32>) = (0..32).partition(|lane| mask >> lane & 1 != 0);
    slots
        .iter()
        .map(|&(bank, slot)| {
            let lane_value = |lane: u32| match bank {
                Bank::Narrow => u64::from(registers.narrow[slot as usize][lane as usize]),
                Bank::Wide => registers.wide[slot as usize][lane as usize],
                Bank::Preds => u64::from(registers.preds[slot as usize] >> lane & 1),
            };
            let value = lane_value(written[0]);
            assert!(written.iter().all(|&lane| lane_value(lane) == value), "`{opcode}`: lanes differ");
            assert!(
                kept.iter().all(|&lane| lane_value(lane) == 0),
                "`{opcode}`: an inactive lane was written"
            );
            value
        })
        .collect()
}

/// Runs an instruction on the registers of a warp, for the lanes of `mask`.
pub fn run_on(image: &mut Image, run: Run, args: &Args, mask: u32) {
    let mut registers = Registers::of_one_warp(image);
    registers.expand_all();
    run(&mut registers.warps(Shape::default(), &[mask], false), args);
    *image = registers.of_warp(0);
}

/// Inverts all bits of a register.
fn invert(image: &mut Image, register: Touched) {
    let slot = usize::from(register.slot);
    match register.bank {
        Bank::Narrow => image.narrow[slot].iter_mut().for_each(|value| *value = !*value),
        Bank::Wide => image.wide[slot].iter_mut().for_each(|value| *value = !*value),
        Bank::Preds => image.preds[slot] = !image.preds[slot],
    }
}

/// The message with which an instruction is refused.
pub fn refusal(opcode: &str, result: Type, sources: &[Bits]) -> String {
    let outcome = assemble(opcode, &[result], sources, &mut Scope::default());
    outcome.expect_err("the instruction should be refused").message
}

/// Checks that an instruction is refused with these words. Its operands are as for [`Program::run`], with the registers `x` of 64 bits
/// and `r` of 32.
#[track_caller]
pub fn refuses(opcode: &str, operands: &str, words: &str) {
    let mut program = Program::new(&[("x", (Type::B64, 0)), ("r", (Type::B32, 0))]);
    let message = program.run(opcode, operands).expect_err("the instruction should be refused");
    assert!(message.contains(words), "{opcode} {operands}: {message}");
}

/// Named registers and the instructions that were executed on them, for tests that need operands of every kind or
/// several instructions that depend on each other.
pub struct Program<'t> {
    scope: Scope<'t>,
    registers: Image,
}

impl<'t> Program<'t> {
    /// Declares registers and sets them in every lane.
    pub fn new(values: &[(&'t str, Bits)]) -> Program<'t> {
        let mut program = Program { scope: Scope::default(), registers: Image::default() };
        program.scope.enter();
        for &(name, (ty, bits)) in values {
            program.scope.declare(ident(name), Symbol::Register(ty));
            let (level, _) = program.scope.find(name).unwrap();
            let slot = program.scope.column(level, name, 0, Bank::of(ty).unwrap()).unwrap() as usize;
            match Bank::of(ty).unwrap() {
                Bank::Narrow => program.scope.image.narrow[slot] = [bits as u32; 32],
                Bank::Wide => program.scope.image.wide[slot] = [bits; 32],
                Bank::Preds => program.scope.image.preds[slot] = if bits == 0 { 0 } else { u32::MAX },
            }
        }
        program.registers = program.scope.image.clone();
        program
    }

    /// Executes one instruction in every lane. Its operands are separated by spaces (`d|q`, `!p`, `_`, `-1`, `{a,b}`).
    /// The error is the message with which the instruction is refused.
    pub fn run(&mut self, opcode: &'t str, operands: &'t str) -> Result<(), String> {
        let operands = operands.split(' ').map(operand).collect();
        let instruction =
            Instruction { guard: None, opcode: ident(opcode), operands, span: Span::default(), loc: None };
        let decoded =
            decode(&LineIndex::new(opcode), &instruction, &mut self.scope, Needs { sm: 90, version: (8, 8) })
                .map_err(|error| error.message)?;
        let Image { narrow, wide, preds } = &self.scope.image;
        self.registers.narrow.extend_from_slice(&narrow[self.registers.narrow.len()..]);
        self.registers.wide.extend_from_slice(&wide[self.registers.wide.len()..]);
        self.registers.preds.extend_from_slice(&preds[self.registers.preds.len()..]);
        for decoded in decoded.before.iter().chain([&decoded]) {
            let Op::Alu(run) = decoded.op else { panic!("`{opcode}` is not arithmetic") };
            let mut before = self.registers.clone();
            run_on(&mut self.registers, run, &decoded.args, u32::MAX);
            // What the results held before, if it is not a source, does not matter.
            decoded.touched.iter().filter(|register| register.is_written).for_each(|result| {
                if !decoded.touched.contains(&Touched { is_written: false, ..*result }) {
                    invert(&mut before, *result);
                }
            });
            run_on(&mut before, run, &decoded.args, u32::MAX);
            assert!(before == self.registers, "`{opcode}` does not write its results");
        }
        Ok(())
    }

    /// The bits of a register in lane 31.
    pub fn get(&mut self, name: &'t str) -> u64 {
        let (level, symbol) = self.scope.find(name).unwrap();
        let Symbol::Register(ty) = symbol else { panic!("`{name}` is not a register") };
        let bank = Bank::of(ty).unwrap();
        let slot = self.scope.column(level, name, 0, bank).unwrap() as usize;
        match bank {
            Bank::Narrow => self.registers.narrow[slot][31].into(),
            Bank::Wide => self.registers.wide[slot][31],
            Bank::Preds => (self.registers.preds[slot] >> 31).into(),
        }
    }
}

/// Executes one instruction on named registers, and returns the bits of `d`.
pub fn eval_text(opcode: &str, operands: &str, values: &[(&str, Bits)]) -> u64 {
    let mut program = Program::new(values);
    program.run(opcode, operands).unwrap();
    program.get("d")
}

fn operand(text: &str) -> Operand<'_> {
    let span = Span::default();
    if let Some(parts) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        return Operand::Vector(parts.split(',').map(operand).collect(), span);
    }
    if let Some((first, second)) = text.split_once('|') {
        return Operand::Pair(Box::new(operand(first)), Box::new(operand(second)));
    }
    if let Some(name) = text.strip_prefix('!') {
        return Operand::Not(ident(name));
    }
    match (text, text.parse::<i128>()) {
        ("_", _) => Operand::Sink(span),
        (_, Ok(number)) => Operand::Int(number as u64, span),
        (_, Err(_)) => Operand::Name(ident(text)),
    }
}

/// Pseudo-random 64-bit numbers. Every second one has few bits or is close to a power of two, because
/// carries, shifts and signs go wrong there.
pub fn numbers() -> impl Iterator<Item = u64> {
    let mut random = test_support::Random::new(0);
    std::iter::repeat_with(move || {
        let (value, shape) = (random.bits(), random.bits());
        match shape % 4 {
            0 => value >> (shape >> 32 & 63),
            1 => (1u64 << (shape >> 32 & 63)).wrapping_sub(value & 1),
            2 => !(value >> (shape >> 32 & 63)),
            _ => value,
        }
    })
}

type Slots = Vec<(Bank, u16)>;

/// Decodes `opcode d[|q], s0, s1, …` with a register for each operand, and sets the sources.
fn assemble<'t>(
    opcode: &'t str,
    results: &[Type],
    sources: &[Bits],
    scope: &mut Scope<'t>,
) -> Result<(super::Decoded, Slots), crate::ptx::Error> {
    const RESULTS: [&str; 2] = ["d", "q"];
    const SOURCES: [&str; 5] = ["s0", "s1", "s2", "s3", "s4"];
    scope.enter();
    let mut declare = |text: &'t str, ty: Type, bits: u64| {
        scope.declare(ident(text), Symbol::Register(ty));
        let bank = Bank::of(ty).unwrap();
        let (level, _) = scope.find(text).unwrap();
        let slot = scope.column(level, text, 0, bank).unwrap();
        match bank {
            Bank::Narrow => scope.image.narrow[slot as usize] = [bits as u32; 32],
            Bank::Wide => scope.image.wide[slot as usize] = [bits; 32],
            Bank::Preds => scope.image.preds[slot as usize] = if bits == 0 { 0 } else { u32::MAX },
        }
        (bank, slot)
    };
    let slots = results.iter().zip(RESULTS).map(|(&ty, name)| declare(name, ty, 0)).collect();
    for (&(ty, bits), name) in sources.iter().zip(SOURCES) {
        declare(name, ty, bits);
    }
    let name = |text| Operand::Name(ident(text));
    let result = match results.len() {
        1 => name("d"),
        _ => Operand::Pair(Box::new(name("d")), Box::new(name("q"))),
    };
    let operands = std::iter::once(result).chain(SOURCES.iter().take(sources.len()).map(|&text| name(text)));
    let instruction = Instruction {
        guard: None::<Guard<'_>>,
        opcode: ident(opcode),
        operands: operands.collect(),
        span: Span::default(),
        loc: None,
    };
    Ok((decode(&LineIndex::new(opcode), &instruction, scope, Needs { sm: 90, version: (8, 8) })?, slots))
}

fn ident(text: &str) -> Ident<'_> {
    Ident { text, span: Span::default() }
}
