//! Atomic read-modify-write operations, `atom` and `red`.
//!
//! The operation is a pure function from the old value and the operands to the new one. [`crate::exec`] applies it lane
//! by lane, in an order that depends on the seed. Left out: vectors, 128 bits, `multimem`. Specification: PTX ISA,
//! sections 9.7.13.5 (`atom`) and 9.7.13.7 (`red`).

use super::float::double;
use super::float::exact::{F32, F64, Rounding};
use super::grammar::Modifiers;
use super::memory::{memory, order, scope};
use super::op::atomic::{Atomic, IN_A_KIND, PutOff, Update};
use super::operands::{Operands, kind_of};
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::isa::op::place::bits;
use crate::order::{Order, Scope};
use crate::ptx::Error;
use crate::ptx::ast::Type;

/// Atomics.
pub const FAMILY: Family = Family {
    title: "Atomics",
    section: "9.7.13",
    forms: &[
        Form::new("atom.<order>?.<scope>?.<space>?.(add|min|max).(u32|s32|u64)", atomic),
        Form::new("atom.<order>?.<scope>?.<space>?.(min|max).s64", atomic),
        Form::new("atom.<order>?.<scope>?.<space>?.add.(f32|f64)", atomic),
        Form::new("atom.<order>?.<scope>?.<space>?.(inc|dec).u32", atomic),
        Form::new("atom.<order>?.<scope>?.<space>?.(and|or|xor|exch|cas).(b32|b64)", atomic),
        Form::new("atom.<order>?.<scope>?.<space>?.cas.b16", atomic).since(70),
        Form::new("red.(relaxed|release)?.<scope>?.<space>?.(add|min|max).(u32|s32|u64)", atomic),
        Form::new("red.(relaxed|release)?.<scope>?.<space>?.(min|max).s64", atomic),
        Form::new("red.(relaxed|release)?.<scope>?.<space>?.add.(f32|f64)", atomic),
        Form::new("red.(relaxed|release)?.<scope>?.<space>?.(inc|dec).u32", atomic),
        Form::new("red.(relaxed|release)?.<scope>?.<space>?.(and|or|xor).(b32|b64)", atomic),
    ],
};

// The segments of every form in which its operation and its type are.
const OPERATION: usize = 4;
const TYPE: usize = 5;

fn atomic(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let ty = m.ty(TYPE);
    let kind = kind_of(ty).expect("an atomic's type has a register");
    let returns = m.says("atom");
    if returns {
        let result = o.take()?;
        o.args.d = o.result_or_sink(result, kind)?;
    }
    let address = o.address(memory(m))?;
    o.args.b = o.take_source(kind)?;
    if m.text(OPERATION) == "cas" {
        o.args.c = o.take_source(kind)?;
    }
    Ok(Op::Atomic(Atomic {
        address,
        bytes: (bits(ty) / 8) as u8,
        update: update(m.text(OPERATION), ty),
        update_global: update_global(m.text(OPERATION), ty),
        is_cas: m.text(OPERATION) == "cas",
        is_exchange: m.text(OPERATION) == "exch",
        returns,
        is_read: returns,
        put_off: put_off(m.text(OPERATION), ty),
        order: order(m).unwrap_or(Order::Relaxed),
        scope: scope(m).unwrap_or(Scope::Gpu),
    }))
}

pub fn update(operation: &str, ty: Type) -> Update {
    match (operation, ty) {
        ("add", Type::F32) => |old, b, _| add_f32(old as u32, b as u32),
        ("add", Type::F64) => |old, b, _| add_f64(old, b),
        ("add", _) => |old, b, _| old.wrapping_add(b),
        ("min", Type::S32) => |old, b, _| (old as i32).min(b as i32) as u32 as u64,
        ("max", Type::S32) => |old, b, _| (old as i32).max(b as i32) as u32 as u64,
        ("min", Type::S64) => |old, b, _| (old as i64).min(b as i64) as u64,
        ("max", Type::S64) => |old, b, _| (old as i64).max(b as i64) as u64,
        ("min", _) => |old, b, _| old.min(b),
        ("max", _) => |old, b, _| old.max(b),
        ("inc", _) => |old, b, _| if old >= b { 0 } else { old + 1 },
        ("dec", _) => |old, b, _| if old == 0 || old > b { b } else { old - 1 },
        ("and", _) => |old, b, _| old & b,
        ("or", _) => |old, b, _| old | b,
        ("xor", _) => |old, b, _| old ^ b,
        ("cas", _) => |old, b, c| if old == b { c } else { old },
        _ => |_, b, _| b,
    }
}

/// How an operation can be put off. The order of those on integers does not matter, that of a sum of floating-point numbers
/// does. An exchange or a comparison may be what a loop waits with.
fn put_off(operation: &str, ty: Type) -> Option<PutOff> {
    let (sign, in_order) = match ty {
        Type::F32 | Type::F64 => (0, true),
        Type::S32 | Type::S64 => (1, false),
        _ => (0, false),
    };
    let operations = ["add", "and", "or", "xor", "min", "max"];
    let number = operations.iter().position(|&known| known == operation)?;
    let number = if in_order { operations.len() } else { number } as u8;
    Some(PutOff { number: number * IN_A_KIND + (bits(ty) / 64) as u8 * 2 + sign, in_order })
}

/// What an operation does differently in global memory. For a generic address, the memory is known only when the
/// instruction is carried out.
///
/// In global memory, `add.f32` flushes the old value, the operand and the sum to a zero of the same sign; in shared
/// memory it flushes nothing (PTX ISA, 9.7.13.5, `atom`: "`atom.add.f32` on global memory flushes subnormal inputs and
/// results to sign-preserving zero"). The old value that `atom` returns is not flushed
/// (`tests/hardware/atomic_add_f32.ptx`). `add.f64` keeps a NaN bit for bit, whereas the addition in shared memory
/// makes it quiet. The specification leaves open which NaN the result is (`tests/hardware/atomic_add_f64.ptx`).
pub fn update_global(operation: &str, ty: Type) -> Option<Update> {
    match (operation, ty) {
        ("add", Type::F32) => Some(|old, b, _| {
            let flushed = |bits: u64| F32.flush(bits) as u32;
            F32.flush(add_f32(flushed(old), flushed(b)))
        }),
        ("add", Type::F64) => Some(|old, b, _| match (F64.is_nan(old), F64.is_nan(b)) {
            (_, true) => b,
            (true, false) => old,
            _ => add_f64(old, b),
        }),
        _ => None,
    }
}

fn add_f32(old: u32, b: u32) -> u64 {
    let sum = f32::from_bits(old) + f32::from_bits(b);
    u64::from(if sum.is_nan() { 0x7fff_ffff } else { sum.to_bits() })
}

fn add_f64(old: u64, b: u64) -> u64 {
    double::add(Rounding::Nearest, f64::from_bits(old), f64::from_bits(b)).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_come_in_any_order_does() {
        for (operation, ty) in
            [("add", Type::U32), ("xor", Type::B64), ("min", Type::S32), ("max", Type::U64)]
        {
            assert!(put_off(operation, ty).is_some_and(|put_off| !put_off.in_order), "{operation} {ty:?}");
            let update = update(operation, ty);
            let (old, a, b) = (7, 0xffff_fff0, 3);
            let (together, apart) = (update(old, update(a, b, 0), 0), update(update(old, b, 0), a, 0));
            assert_eq!(together as u32, apart as u32, "{operation} {ty:?}");
        }
        for ty in [Type::F32, Type::F64] {
            assert!(put_off("add", ty).is_some_and(|put_off| put_off.in_order), "{ty:?}");
        }
        for (operation, ty) in [("exch", Type::B32), ("cas", Type::B64), ("inc", Type::U32)] {
            assert_eq!(put_off(operation, ty), None, "{operation} {ty:?}");
        }
    }

    #[test]
    fn updates_follow_the_specification() {
        let check = |operation, ty, old, b, expected| assert_eq!(update(operation, ty)(old, b, 7), expected);
        check("inc", Type::U32, 4, 5, 5);
        check("inc", Type::U32, 5, 5, 0);
        check("dec", Type::U32, 0, 5, 5);
        check("dec", Type::U32, 6, 5, 5);
        check("dec", Type::U32, 5, 5, 4);
        check("min", Type::S32, 0xffff_ffff, 1, 0xffff_ffff);
        check("min", Type::U32, 0xffff_ffff, 1, 1);
        check("max", Type::S64, u64::MAX, 1, 1);
        check("cas", Type::B32, 3, 3, 7);
        check("cas", Type::B32, 3, 4, 3);
        check("exch", Type::B64, 3, 4, 4);
        check(
            "add",
            Type::F32,
            u64::from(1.5f32.to_bits()),
            u64::from(2.0f32.to_bits()),
            u64::from(3.5f32.to_bits()),
        );
    }
}
