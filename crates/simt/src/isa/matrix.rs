//! Matrix instructions of a warp: loads, stores and transposition of fragments, and `mma`.
//!
//! They are decoded to a [`Matrix`], and [`crate::exec::matrix`] carries them out for the whole warp. `wmma` is in [`super::wmma`].
//! Left out: sparse matrices, `mma` of quarter warps (`m8n8k4` of f16), of single bits and of f8, and
//! matrices of other shapes than 8 times 8 in `ldmatrix`. Specification: PTX ISA, section 9.7.14.5.

use super::grammar::{Modifiers, is_type};
use super::memory::memory;
use super::op::matrix::{Matrix, Multiply, Number, Rows};
use super::operands::{Operands, span_of};
use super::value::Kind;
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::isa::op::memory::Memory;
use crate::machine::registers::Bank;
use crate::ptx::Error;
use crate::ptx::ast::Operand;

/// Matrix instructions.
pub const FAMILY: Family = Family {
    title: "Matrices",
    section: "9.7.14.5",
    forms: &[
        Form::new("ldmatrix.sync.aligned.m8n8.(x1|x2|x4).trans?.<shared>?.b16", |m, o| rows(m, o, true))
            .since(75)
            .version(6, 5),
        Form::new("stmatrix.sync.aligned.m8n8.(x1|x2|x4).trans?.<shared>?.b16", |m, o| rows(m, o, false))
            .since(90)
            .version(7, 8),
        Form::new("movmatrix.sync.aligned.m8n8.trans.b16", |_, o| {
            o.take_result(Kind::B32)?;
            o.take_source(Kind::B32)?;
            Ok(Op::Matrix(Matrix::Transpose))
        })
        .since(75)
        .version(7, 8),
        Form::new("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", multiply).since(75).version(6, 5),
        Form::new("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", multiply).since(75).version(6, 5),
        Form::new("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", multiply).since(80).version(7, 0),
        Form::new("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", multiply).since(80).version(7, 0),
        Form::new("mma.sync.aligned.(m16n8k8|m16n8k16).row.col.f32.bf16.bf16.f32", multiply)
            .since(80)
            .version(7, 0),
        Form::new("mma.sync.aligned.(m16n8k4|m16n8k8).row.col.f32.tf32.tf32.f32", multiply)
            .since(80)
            .version(7, 0),
        Form::new("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", multiply).since(80).version(7, 0),
        Form::new("mma.sync.aligned.(m16n8k4|m16n8k8|m16n8k16).row.col.f64.f64.f64.f64", multiply)
            .since(90)
            .version(7, 8),
        Form::new("mma.sync.aligned.m8n8k16.row.col.satfinite?.s32.(u8|s8).(u8|s8).s32", multiply)
            .since(75)
            .version(6, 5),
        Form::new(
            "mma.sync.aligned.(m16n8k16|m16n8k32).row.col.satfinite?.s32.(u8|s8).(u8|s8).s32",
            multiply,
        )
        .since(80)
        .version(7, 0),
        Form::new("mma.sync.aligned.m8n8k32.row.col.satfinite?.s32.(u4|s4).(u4|s4).s32", multiply)
            .since(75)
            .version(6, 5),
        Form::new(
            "mma.sync.aligned.(m16n8k32|m16n8k64).row.col.satfinite?.s32.(u4|s4).(u4|s4).s32",
            multiply,
        )
        .since(80)
        .version(7, 0),
    ],
};

/// `ldmatrix` and `stmatrix`. The columns of the rows' words are the values of the access that it makes of them.
fn rows(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, loads: bool) -> Result<Op, Error> {
    let count = m.meaning(&[("x1", 1), ("x2", 2), ("x4", 4)]).expect("the form's grammar lists these");
    if loads {
        fragment(o, usize::from(count), Kind::B32, true)?;
    }
    let address = o.address(memory(m))?;
    if !matches!(address.memory, Memory::Shared | Memory::Generic) {
        let name = o.instruction.opcode.text;
        return Err(o.error(o.instruction.opcode.span, format!("`{name}` needs an address in shared memory")));
    }
    let [d, q, b, c] = o.row_words()?;
    (o.args.d, o.args.q, o.args.b, o.args.c) = (d, q, b, c);
    let rows = Rows { address, count, transposed: m.says("trans") };
    if loads {
        return Ok(Op::Matrix(Matrix::Load(rows)));
    }
    fragment(o, usize::from(count), Kind::B32, false)?;
    Ok(Op::Matrix(Matrix::Store(rows)))
}

fn multiply(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let text = o.instruction.opcode.text;
    if text.find(".row") > text.find(".col") {
        let message = format!("`{text}` is not supported: A is `.row` and B is `.col`");
        return Err(o.error(o.instruction.opcode.span, message));
    }
    let (mut types, mut shape) =
        (m.words().filter(|word| is_type(word)).filter_map(Number::named), m.text(3).split(['m', 'n', 'k']));
    let [d, a, b] = [(); 3].map(|()| types.next().expect("the form's grammar lists four types"));
    let size = |text: Option<&str>| {
        text.and_then(|text| text.parse().ok()).expect("the form's grammar lists shapes")
    };
    let (m_size, k_size) = (size(shape.nth(1)), size(shape.nth(1)));
    let saturates = m.says("satfinite");
    product(o, Multiply { m: m_size, n: 8, k: k_size, a, b, c: d, d, has_copies: false, saturates })
}

/// Takes the fragments of a product, D before A, B and C.
pub(super) fn product(o: &mut Operands<'_, '_>, multiply: Multiply) -> Result<Op, Error> {
    let [of_a, of_b, of_c, of_d] = multiply.registers();
    fragment(o, of_d, kind_of(multiply.d), true)?;
    let inside = if multiply.d == Number::F64 { Kind::F64 } else { Kind::B32 };
    fragment(o, of_a, inside, false)?;
    fragment(o, of_b, inside, false)?;
    fragment(o, of_c, kind_of(multiply.c), false)?;
    Ok(Op::Matrix(Matrix::Multiply(multiply)))
}

/// The registers of C and D.
pub(super) fn kind_of(number: Number) -> Kind {
    match number {
        Number::F64 => Kind::F64,
        Number::F32 => Kind::F32,
        _ => Kind::B32,
    }
}

/// Takes the registers of a fragment. Which they are is known from the registers that the instruction touches, in order.
pub(super) fn fragment(
    o: &mut Operands<'_, '_>,
    count: usize,
    kind: Kind,
    is_result: bool,
) -> Result<(), Error> {
    let operand = o.take()?;
    fragment_in(o, operand, count, kind, is_result)
}

/// Takes the registers of a fragment that an operand lists.
pub(super) fn fragment_in<'t>(
    o: &mut Operands<'_, 't>,
    operand: &Operand<'t>,
    count: usize,
    kind: Kind,
    is_result: bool,
) -> Result<(), Error> {
    let elements = o.elements(operand).unwrap_or_else(|| vec![operand.clone()]);
    if elements.len() != count {
        let found = elements.len();
        return Err(o.error(span_of(operand), format!("expected {count} registers here, found {found}")));
    }
    for element in &elements {
        if is_result {
            o.result(element, kind)?
        } else {
            o.source(element, kind)?
        };
    }
    Ok(())
}

impl Operands<'_, '_> {
    /// The columns for the words of the rows of matrices, which no register has.
    fn row_words(&mut self) -> Result<[u16; 4], Error> {
        let span = self.instruction.opcode.span;
        if self.scope.row_words.is_none() {
            let mut words = [0; 4];
            for word in &mut words {
                *word = self.scratch(Bank::Narrow, span)?;
            }
            self.scope.row_words = Some(words);
        }
        let words = self.scope.row_words.expect("they were just made");
        for word in words {
            self.touch(Bank::Narrow, word, false);
            self.touch(Bank::Narrow, word, true);
        }
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Program;
    use crate::ptx::ast::Type;

    /// The message with which an instruction is refused.
    fn refusal(opcode: &'static str, operands: &'static str) -> String {
        let registers =
            [("a", (Type::B32, 0)), ("f", (Type::F32, 0)), ("x", (Type::B64, 0)), ("p", (Type::Pred, 0))];
        Program::new(&registers).run(opcode, operands).expect_err("it should be refused")
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let check = |opcode, operands, words: &str| {
            let message = refusal(opcode, operands);
            assert!(message.contains(words), "{opcode} {operands}: {message}");
        };
        let f32 = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32";
        check(f32, "{f,f} {a,a} {a} {f,f,f,f}", "expected 4 registers here, found 2");
        check(f32, "{f,f,f,f} {a,a,a,a} {a} {f,f,f,f}", "expected 2 registers here, found 4");
        check(f32, "{f,f,f,f} {a,a} {a,a} {f,f,f,f}", "expected 1 registers here, found 2");
        check(f32, "{f,f,f,_} {a,a} {a} {f,f,f,f}", "needs a register for its result");
        check(f32, "{f,f,f,f} {x,x} {a} {f,f,f,f}", "`x` has 64 bits");
        check(f32, "{f,f,f,f} {a,a} {a}", "needs more than 3 operands");
        check(f32, "{f,f,f,f} {a,a} {a} {f,f,f,f} a", "too many operands");
        check(
            "mma.sync.aligned.m16n8k8.col.row.f32.f16.f16.f32",
            "{f,f,f,f} {a,a} {a} {f,f,f,f}",
            "A is `.row`",
        );
        check(
            "mma.sync.aligned.m16n8k8.row.row.f32.f16.f16.f32",
            "{f,f,f,f} {a,a} {a} {f,f,f,f}",
            "is not supported",
        );
        check("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16", "{a,a} {a} {a} {a,a}", "is not supported");
        check(
            "mma.aligned.m16n8k8.row.col.f32.f16.f16.f32",
            "{f,f,f,f} {a,a} {a} {f,f,f,f}",
            "is not supported",
        );
        check("ldmatrix.sync.aligned.m8n8.x2.shared.b16", "{a} x", "expected 2 registers here, found 1");
        check("ldmatrix.sync.aligned.m8n8.x3.shared.b16", "{a,a,a} x", "is not supported");
        check("ldmatrix.sync.aligned.m8n8.x1.global.b16", "{a} x", "is not supported");
        check("movmatrix.sync.aligned.m8n8.b16", "a a", "is not supported");
    }
}
