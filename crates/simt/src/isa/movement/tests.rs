//! Tests of [`super`]: whole registers, parts, and refusals.

use crate::isa::decode;
use crate::isa::needs::Needs;
use crate::isa::op::Op;
use crate::isa::op::call::FUNCTIONS_BASE;
use crate::isa::op::place::Place;
use crate::isa::scope::{Scope, Symbol};
use crate::isa::special::{Axis, Special};
use crate::isa::testing::{Program, eval, eval_text, run_on};
use crate::machine::registers::Image;
use crate::ptx::ast::Type::{self, B8, B16, B32, B64, F32, F64, Pred, S16, U8, U32, U64};
use crate::ptx::ast::{Ident, Instruction, Operand, Space};
use crate::ptx::{LineIndex, Span};

#[test]
fn whole_registers_and_literals() {
    assert_eq!(eval("mov.b16", B16, &[(B16, 0xabcd)]), 0xabcd);
    assert_eq!(eval("mov.f32", F32, &[(F32, 0xffa0_0001)]), 0xffa0_0001);
    assert_eq!(eval("mov.u64", U64, &[(U64, u64::MAX)]), u64::MAX);
    assert_eq!(eval("mov.pred", Pred, &[(Pred, 1)]), 1);
    assert_eq!(eval_text("mov.u64", "d -2", &[("d", (U64, 0))]), u64::MAX - 1);
    assert_eq!(eval_text("mov.s16", "d -2", &[("d", (S16, 0))]), 0xfffe);
    assert_eq!(eval_text("mov.pred", "d 1", &[("d", (Pred, 0))]), 1);
}

#[test]
fn parts_go_apart_and_come_together_again() {
    let quarters = ["a0", "a1", "a2", "a3"];
    for (opcode, whole, part, count) in [
        ("mov.b16", B16, B8, 2),
        ("mov.b32", B32, B16, 2),
        ("mov.b32", B32, U8, 4),
        ("mov.b64", B64, F32, 2),
        ("mov.b64", B64, B16, 4),
    ] {
        let total = crate::isa::op::place::bits(whole);
        let bits = 0x8877_6655_4433_2211_u64 & u64::MAX >> (64 - total);
        let mut registers = vec![("a", (whole, bits)), ("d", (whole, 0))];
        registers.extend(quarters.map(|name| (name, (part, 0))));
        let mut program = Program::new(&registers);
        let list = &*format!("{{{}}}", quarters[..count].join(",")).leak();
        program.run(opcode, format!("{list} a").leak()).unwrap();
        let width = total / count as u32;
        for (index, name) in quarters[..count].iter().enumerate() {
            assert_eq!(
                program.get(name),
                bits >> (index as u32 * width) & u64::MAX >> (64 - width),
                "{opcode} {name}"
            );
        }
        program.run(opcode, format!("d {list}").leak()).unwrap();
        assert_eq!(program.get("d"), bits, "{opcode}");
    }
}

#[test]
fn a_part_may_be_dropped() {
    let mut program = Program::new(&[("d", (B32, 0)), ("a", (F64, 7 << 32 | 5))]);
    program.run("mov.b64", "{_,d} a").unwrap();
    assert_eq!(program.get("d"), 7);
}

#[test]
fn what_is_no_register_is_refused() {
    let mut program = Program::new(&[("d", (B32, 0)), ("h", (B16, 0)), ("w", (B64, 0))]);
    let mut refusal = |opcode, operands| program.run(opcode, operands).unwrap_err();
    assert_eq!(
        refusal("mov.u32", "d %tid.v"),
        "`%tid.v` is neither declared nor a supported special register"
    );
    assert_eq!(refusal("mov.u16", "h %clock64"), "`%clock64` is an integer of 64 bits, not a `U16`");
    assert_eq!(refusal("mov.u32", "d w"), "`w` has 64 bits, but a 32-bit register is expected");
    assert_eq!(refusal("mov.u64", "{d,d} w"), "`mov.u64` does not take a vector; use `mov` with a `.b` type");
    assert_eq!(refusal("mov.b64", "{d,d,d} w"), "`mov.b64` does not take a vector of 3");
    assert_eq!(refusal("mov.b64", "w {d,h}"), "`h` has 16 bits, but 32 are expected");
    assert_eq!(refusal("mov.b64", "{d,1} w"), "a part must be a register of 32 bits");
    assert_eq!(refusal("mov.u32", "1 d"), "a result must be a 32-bit register");
}

/// The result of decoding `mov d, source`, where the names are those of a register, variables and a function.
fn decoded(opcode: &str, result: Type, source: Operand<'_>) -> (Op, Image) {
    let mut scope = Scope::default();
    scope.enter();
    let place = |space, in_frame| {
        Symbol::Variable(Place { space, address: 0x40, size: 8, element: 8, in_frame, passed_as: None })
    };
    scope.declare(ident("d"), Symbol::Register(result));
    scope.declare(ident("global"), place(Space::Global, false));
    scope.declare(ident("local"), place(Space::Local, true));
    scope.declare(ident("function"), Symbol::Function(3));
    let operands = vec![Operand::Name(ident("d")), source];
    let (opcode, span) = (ident(opcode), Span::default());
    let instruction = Instruction { guard: None, opcode, operands, span, loc: None };
    let decoded =
        decode(&LineIndex::new(opcode.text), &instruction, &mut scope, Needs { sm: 90, version: (8, 8) })
            .unwrap();
    if let Op::Alu(run) = decoded.op {
        let mut registers = scope.image.clone();
        run_on(&mut registers, run, &decoded.args, u32::MAX);
        return (decoded.op, registers);
    }
    (decoded.op, scope.image)
}

fn ident(text: &str) -> Ident<'_> {
    Ident { text, span: Span::default() }
}

#[test]
fn special_registers_have_the_width_of_the_result() {
    let what = Special::Tid(Axis::Y);
    let found = |opcode, ty| decoded(opcode, ty, Operand::Name(ident("%tid.y"))).0;
    assert!(matches!(found("mov.u32", U32), Op::Special { what: known, wide: false } if known == what));
    assert!(matches!(found("mov.s32", U32), Op::Special { what: known, wide: false } if known == what));
    let clock = decoded("mov.u64", U64, Operand::Name(ident("%clock64"))).0;
    assert!(matches!(clock, Op::Special { what: Special::Clock, wide: true }));
}

#[test]
fn addresses_are_numbers_or_count_from_the_frame() {
    let wide = |operand| decoded("mov.u64", U64, operand).1.wide[0][31];
    assert_eq!(wide(Operand::Name(ident("global"))), 0x40);
    assert_eq!(wide(Operand::Offset(ident("global"), -8)), 0x38);
    assert_eq!(wide(Operand::Name(ident("function"))), FUNCTIONS_BASE + 3);
    assert_eq!(decoded("mov.b32", B32, Operand::Offset(ident("global"), 4)).1.narrow[0][31], 0x44);
    let frame = |operand| decoded("mov.u64", U64, operand).0;
    assert!(matches!(frame(Operand::Name(ident("local"))), Op::FrameAddress { offset: 0x40, wide: true }));
    let below = Operand::Offset(ident("local"), -0x48);
    assert!(matches!(frame(below), Op::FrameAddress { offset: -8, wide: true }));
}
