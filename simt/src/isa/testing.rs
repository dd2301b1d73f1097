//! Runs one instruction on given values, for the families' tests.

use super::scope::{Bank, Scope, Symbol};
use super::{Op, decode};
use crate::machine::registers::{Registers, Shape};
use crate::ptx::Span;
use crate::ptx::ast::{Guard, Ident, Instruction, Operand, Type};

/// What a register holds: its type and its bits.
pub type Bits = (Type, u64);

/// The bits of `d` after `opcode d, sources…`, run for the upper half of a warp.
///
/// Checks on the way that every active lane got the same value and that no inactive lane was written.
/// Panics where the instruction is refused: use [`refusal`] for that.
pub fn eval(opcode: &str, result: Type, sources: &[Bits]) -> u64 {
    eval2(opcode, &[result], sources)[0]
}

/// [`eval`] for an instruction with two results, written `d|q`.
pub fn eval2(opcode: &str, results: &[Type], sources: &[Bits]) -> Vec<u64> {
    let mut scope = Scope::default();
    let (decoded, slots) = assemble(opcode, results, sources, &mut scope).unwrap();
    let mut registers: Registers = scope.image.clone();
    let mask = 0xffff_0000;
    let mut lanes = registers.lanes(Shape::default(), mask);
    let Op::Alu(run) = decoded.op else { panic!("`{opcode}` is not arithmetic") };
    run(&mut lanes, &decoded.args);
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

/// The message with which an instruction is refused.
pub fn refusal(opcode: &str, result: Type, sources: &[Bits]) -> String {
    let outcome = assemble(opcode, &[result], sources, &mut Scope::default());
    outcome.expect_err("the instruction should be refused").message
}

type Slots = Vec<(Bank, u16)>;

/// Decodes `opcode d[|q], s0, s1, …` with a register for each operand, sources preset.
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
        let slot = scope.column(level, text, bank).unwrap();
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
    Ok((decode(opcode, &instruction, scope, 90)?, slots))
}

fn ident(text: &str) -> Ident<'_> {
    Ident { text, span: Span::default() }
}
