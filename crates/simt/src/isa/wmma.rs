//! `wmma`: loads, stores and products of fragments whose layout the specification leaves open.
//!
//! They are decoded to a [`Matrix`] like the other matrix instructions ([`super::matrix`]). Left out: matrices of single bits, and
//! doubles with another rounding than to the nearest. Specification: PTX ISA, section 9.7.14.4.

use super::grammar::{Modifiers, is_type};
use super::matrix::{fragment, fragment_in, kind_of, product};
use super::memory::memory;
use super::op::matrix::{Matrix, Multiply, Number, Tile};
use super::op::memory::{Address, Base};
use super::operands::Operands;
use super::value::Kind;
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::machine::registers::{Bank, Slot};
use crate::ptx::Error;

/// Matrix instructions with fragments of their own.
pub const FAMILY: Family = Family {
    title: "Matrices of `wmma`",
    section: "9.7.14.4",
    forms: &[
        Form::new("wmma.load.(a|b).sync.aligned.(row|col).(m16n16k16|m32n8k16|m8n32k16).(global|shared|shared::cta)?.f16", load)
            .since(70)
            .version(6, 3),
        Form::new("wmma.load.(a|b).sync.aligned.(row|col).(m16n16k16|m32n8k16|m8n32k16).(global|shared|shared::cta)?.(s8|u8)", load)
            .since(72)
            .version(6, 3),
        Form::new("wmma.load.(a|b).sync.aligned.(row|col).(m16n16k16|m32n8k16|m8n32k16).(global|shared|shared::cta)?.bf16", load)
            .since(80)
            .version(7, 0),
        Form::new("wmma.load.(a|b).sync.aligned.(row|col).m16n16k8.(global|shared|shared::cta)?.tf32", load).since(80).version(7, 0),
        Form::new("wmma.load.(a|b).sync.aligned.(row|col).m8n8k4.(global|shared|shared::cta)?.f64", load).since(80).version(7, 0),
        Form::new("wmma.load.a.sync.aligned.row.m8n8k32.(global|shared|shared::cta)?.(s4|u4)", load).since(75).version(6, 3),
        Form::new("wmma.load.b.sync.aligned.col.m8n8k32.(global|shared|shared::cta)?.(s4|u4)", load).since(75).version(6, 3),
        Form::new("wmma.load.c.sync.aligned.(row|col).(m16n16k16|m32n8k16|m8n32k16).(global|shared|shared::cta)?.(f16|f32)", load)
            .since(70)
            .version(6, 3),
        Form::new("wmma.load.c.sync.aligned.(row|col).(m16n16k16|m32n8k16|m8n32k16).(global|shared|shared::cta)?.s32", load)
            .since(72)
            .version(6, 3),
        Form::new("wmma.load.c.sync.aligned.(row|col).m16n16k8.(global|shared|shared::cta)?.f32", load).since(80).version(7, 0),
        Form::new("wmma.load.c.sync.aligned.(row|col).m8n8k4.(global|shared|shared::cta)?.f64", load).since(80).version(7, 0),
        Form::new("wmma.load.c.sync.aligned.(row|col).m8n8k32.(global|shared|shared::cta)?.s32", load).since(75).version(6, 3),
        Form::new("wmma.store.d.sync.aligned.(row|col).(m16n16k16|m32n8k16|m8n32k16).(global|shared|shared::cta)?.(f16|f32)", store)
            .since(70)
            .version(6, 3),
        Form::new("wmma.store.d.sync.aligned.(row|col).(m16n16k16|m32n8k16|m8n32k16).(global|shared|shared::cta)?.s32", store)
            .since(72)
            .version(6, 3),
        Form::new("wmma.store.d.sync.aligned.(row|col).m16n16k8.(global|shared|shared::cta)?.f32", store).since(80).version(7, 0),
        Form::new("wmma.store.d.sync.aligned.(row|col).m8n8k4.(global|shared|shared::cta)?.f64", store).since(80).version(7, 0),
        Form::new("wmma.store.d.sync.aligned.(row|col).m8n8k32.(global|shared|shared::cta)?.s32", store).since(75).version(6, 3),
        Form::new(
            "wmma.mma.sync.aligned.(row|col).(row|col).(m16n16k16|m32n8k16|m8n32k16).(f16|f32).(f16|f32)",
            multiply,
        )
        .since(70)
        .version(6, 3),
        Form::new(
            "wmma.mma.sync.aligned.(row|col).(row|col).(m16n16k16|m32n8k16|m8n32k16).s32.s8.s8.s32.satfinite?",
            multiply,
        )
        .since(72)
        .version(6, 3),
        Form::new(
            "wmma.mma.sync.aligned.(row|col).(row|col).(m16n16k16|m32n8k16|m8n32k16).s32.u8.u8.s32.satfinite?",
            multiply,
        )
        .since(72)
        .version(6, 3),
        Form::new(
            "wmma.mma.sync.aligned.(row|col).(row|col).(m16n16k16|m32n8k16|m8n32k16).f32.bf16.bf16.f32",
            multiply,
        )
        .since(80)
        .version(7, 0),
        Form::new("wmma.mma.sync.aligned.(row|col).(row|col).m16n16k8.f32.tf32.tf32.f32", multiply)
            .since(80)
            .version(7, 0),
        Form::new("wmma.mma.sync.aligned.(row|col).(row|col).m8n8k4.rn?.f64.f64.f64.f64", multiply)
            .since(80)
            .version(7, 0),
        Form::new("wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32.satfinite?", multiply).since(75).version(6, 3),
        Form::new("wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32.satfinite?", multiply)
            .since(75)
            .version(6, 3),
    ],
};

/// The sizes m, n and k that an opcode names.
fn shape(m: &Modifiers<'_>) -> [u8; 3] {
    let text = m.words().find(|word| word.starts_with('m') && word.contains('k')).unwrap_or_default();
    let mut sizes = text.split(['m', 'n', 'k']).skip(1).filter_map(|size| size.parse().ok());
    [(); 3].map(|()| sizes.next().expect("the form's grammar lists shapes"))
}

fn numbers<'m>(m: &'m Modifiers<'_>) -> impl Iterator<Item = Number> + 'm {
    m.words().filter(|word| is_type(word)).filter_map(Number::named)
}

/// The matrix that an opcode names, at no address yet.
fn named(m: &Modifiers<'_>) -> Tile {
    let number = numbers(m).next().expect("the form's grammar lists a type");
    let ([rows, columns, depth], is_row) = (shape(m), m.says("row"));
    let is_sum = !matches!(m.text(2), "a" | "b");
    let (lines, length, is_along) = match m.text(2) {
        "a" => (rows, depth, is_row),
        "b" => (columns, depth, !is_row),
        _ => (rows, columns, is_row),
    };
    let address = Address { memory: memory(m), base: Base::Absolute, offset: 0 };
    Tile { address, number, lines, length, is_sum, is_along, has_copies: number == Number::F16 && !is_sum }
}

/// The registers of a tile's fragment.
fn kind_in(tile: Tile) -> Kind {
    if tile.is_sum || tile.number == Number::F64 { kind_of(tile.number) } else { Kind::B32 }
}

/// Takes the stride, without which lines follow one another, and the columns that an access of a piece needs.
fn stride(o: &mut Operands<'_, '_>, tile: Tile) -> Result<(), Error> {
    o.args.b = if o.peek().is_some() {
        o.take_source(Kind::B32)?
    } else {
        let neighbours = if tile.is_along { tile.length } else { tile.lines };
        o.constant(Bank::Narrow, neighbours.into(), o.instruction.opcode.span)?
    };
    [o.args.c, o.args.d, o.args.q] = o.tile_columns()?;
    Ok(())
}

fn load(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let mut tile = named(m);
    fragment(o, tile.registers(), kind_in(tile), true)?;
    tile.address = o.address(memory(m))?;
    stride(o, tile)?;
    Ok(Op::Matrix(Matrix::LoadTile(tile)))
}

/// The fragment is between the address and the stride, and is touched last.
fn store(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let mut tile = named(m);
    tile.address = o.address(memory(m))?;
    let values = o.take()?;
    stride(o, tile)?;
    fragment_in(o, values, tile.registers(), kind_in(tile), false)?;
    Ok(Op::Matrix(Matrix::StoreTile(tile)))
}

fn multiply(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let types: Vec<Number> = numbers(m).collect();
    // Of f16, only D and C are named.
    let [d, a, b, c] = match types[..] {
        [d, c] => [d, Number::F16, Number::F16, c],
        [d, a, b, c] => [d, a, b, c],
        _ => unreachable!("the form's grammar lists two or four types"),
    };
    let [m_size, n, k] = shape(m);
    let (has_copies, saturates) = (a == Number::F16, m.says("satfinite"));
    product(o, Multiply { m: m_size, n, k, a, b, c, d, has_copies, saturates })
}

impl Operands<'_, '_> {
    /// The columns for an address, and for a value of 32 and of 64 bits, which no register has.
    fn tile_columns(&mut self) -> Result<[Slot; 3], Error> {
        const BANKS: [Bank; 3] = [Bank::Wide, Bank::Narrow, Bank::Wide];
        let span = self.instruction.opcode.span;
        let columns = if let Some(columns) = self.scope.tile_columns {
            columns
        } else {
            let mut columns = [0; 3];
            for (column, bank) in columns.iter_mut().zip(BANKS) {
                *column = self.scratch(bank, span)?;
            }
            *self.scope.tile_columns.insert(columns)
        };
        for (bank, column) in BANKS.into_iter().zip(columns) {
            self.touch(bank, column, false);
            self.touch(bank, column, true);
        }
        Ok(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::refuses;

    #[test]
    fn operands_that_do_not_fit_are_refused() {
        let a = "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16";
        refuses(a, "{r,r,r,r} x", "expected 8 registers here, found 4");
        refuses(a, "{r,r,r,r,r,r,r,r} x", "expected an address in brackets");
        refuses(
            "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32",
            "x r",
            "expected an address in brackets",
        );
        refuses("wmma.load.a.sync.aligned.row.m16n16k8.shared.f16", "r x", "is not supported");
        refuses("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.f32.f32", "r r r r", "is not supported");
        refuses("wmma.load.b.sync.aligned.row.m8n8k32.shared.s4", "r x", "is not supported");
        refuses("wmma.mma.sync.aligned.row.m16n16k16.f32.f32", "r r r r", "is not supported");
    }
}
