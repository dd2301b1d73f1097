//! Tensor copies: `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`, prefetches, and the fences of tensor maps.
//!
//! A tensor copy is a bulk copy whose place in global memory a tensor map describes ([`crate::machine::tensor_map`]).
//! [`crate::exec::tensor_copy`] carries it out. To replace a field of a map is to store it where our maps have it. A proxy fence of
//! tensor maps is a fence of its order and scope; that it is missing is not found. Left out: everything but tiles (`im2col`, gather
//! and scatter), and `tensormap.cp_fenceproxy`.
//! Specification: PTX ISA, sections 9.7.9.27.1 (tensor copies), 9.7.9.28 (`tensormap.replace`), 9.7.9.15 (`prefetch`) and 9.7.13.4
//! (proxy fences).

use super::atomic::update_global;
use super::bulk::{policy, reduction_of};
use super::grammar::Modifiers;
use super::memory::{memory, order, scope};
use super::op::bulk::{BulkOp, Completion};
use super::op::memory::{Access, Address, Base, Memory};
use super::op::tensor_copy::{Combining, TensorAction, TensorCopy};
use super::operands::{Operands, span_of};
use super::value::Kind;
use super::warpgroup::check_target;
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::machine::bulk::Reduction;
use crate::machine::registers::Slot;
use crate::machine::tensor_map::{FIELDS, MAX_RANK, TENSOR_MAP_BYTES};
use crate::order::{Order, Scope, Semantics};
use crate::ptx::Error;
use crate::ptx::ast::{Operand, Type};

/// Tensor copies.
pub const FAMILY: Family = Family {
    title: "Tensor copies; `tensormap.replace` is for sm_90a",
    section: "9.7.9.27.1, 9.7.9.28, 9.7.9.15, 9.7.13.4",
    forms: &[
        Form::new(
            "cp.async.bulk.tensor.(1d|2d|3d|4d|5d).shared::cta.global.tile?.mbarrier::complete_tx::bytes.L2::cache_hint?",
            load,
        )
        .since(90)
        .version(8, 6),
        Form::new(
            "cp.async.bulk.tensor.(1d|2d|3d|4d|5d).shared::cluster.global.tile?.mbarrier::complete_tx::bytes.multicast::cluster?.L2::cache_hint?",
            load,
        )
        .since(90)
        .version(8, 0),
        Form::new(
            "cp.async.bulk.tensor.(1d|2d|3d|4d|5d).global.shared::cta.tile?.bulk_group.L2::cache_hint?",
            store,
        )
        .since(90)
        .version(8, 0),
        Form::new(
            "cp.reduce.async.bulk.tensor.(1d|2d|3d|4d|5d).global.shared::cta.(add|min|max|inc|dec|and|or|xor).tile?.bulk_group.L2::cache_hint?",
            store,
        )
        .since(90)
        .version(8, 0),
        Form::new("cp.async.bulk.prefetch.tensor.(1d|2d|3d|4d|5d).L2.global.tile?.L2::cache_hint?", prefetch)
            .since(90)
            .version(8, 0),
        Form::new("prefetch.(const|param)?.tensormap", |_, o| {
            o.address(Memory::Generic)?;
            Ok(Op::Hint)
        })
        .since(90)
        .version(8, 0),
        Form::new("tensormap.replace.tile.global_address.(global|shared::cta)?.b1024.b64", replace)
            .since(90)
            .version(8, 3),
        Form::new("tensormap.replace.tile.rank.(global|shared::cta)?.b1024.b32", replace).since(90).version(8, 3),
        Form::new(
            "tensormap.replace.tile.(box_dim|global_dim|element_stride).(global|shared::cta)?.b1024.b32",
            replace,
        )
        .since(90)
        .version(8, 3),
        Form::new("tensormap.replace.tile.global_stride.(global|shared::cta)?.b1024.b64", replace)
            .since(90)
            .version(8, 3),
        Form::new(
            "tensormap.replace.tile.(elemtype|interleave_layout|swizzle_mode|fill_mode).(global|shared::cta)?.b1024.b32",
            replace,
        )
        .since(90)
        .version(8, 3),
        Form::new("fence.proxy.tensormap::generic.release.<scope>", |m, _| Ok(fence(m))).since(90).version(8, 3),
        Form::new("fence.proxy.tensormap::generic.acquire.<scope>", |m, o| {
            o.address(Memory::Generic)?;
            match o.take()? {
                Operand::Int(bytes, _) if *bytes == TENSOR_MAP_BYTES as u64 => Ok(fence(m)),
                other => Err(o.error(span_of(other), "the size of a tensor map is 128")),
            }
        })
        .since(90)
        .version(8, 3),
    ],
};

/// Why an opcode that copies tensors is not supported, if it is one in a mode that is not.
pub fn why_not(opcode: &str) -> Option<String> {
    let mut words = opcode.split('.').skip(1);
    let mode = words.find(|word| word.starts_with("im2col") || word.starts_with("tile::"))?;
    Some(format!("`{opcode}` is not supported: tensor copies have the mode `.tile` only, not `.{mode}`"))
}

fn fence(m: &Modifiers<'_>) -> Op {
    let (order, scope) = (order(m).unwrap_or(Order::AcqRel), scope(m).unwrap_or(Scope::Sys));
    Op::Fence(Semantics { order, scope })
}

fn load(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    check_order(m, o, "global")?;
    let memory = if m.says("shared::cluster") { Memory::Cluster } else { Memory::Shared };
    let shared = o.address(memory)?;
    let base = o.args.a;
    let (rank, map, coordinates) = tensor(m, o)?;
    o.args.b = o.args.a;
    let object = o.address(memory)?;
    (o.args.e, o.args.a) = (o.args.a, base);
    let multicast = m.says("multicast::cluster");
    if multicast {
        o.args.q = o.take_source(Kind::B16)?;
    }
    policy(m, o)?;
    let action = TensorAction::Load { end: Completion::Mbarrier(object), multicast };
    Ok(Op::Bulk(BulkOp::Tensor(TensorCopy { rank, action, shared, map, coordinates })))
}

fn store(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    check_order(m, o, "shared::cta")?;
    let (rank, map, coordinates) = tensor(m, o)?;
    o.args.b = o.args.a;
    let shared = o.address(Memory::Shared)?;
    policy(m, o)?;
    let action = m.meaning(&Combining::NAMED).map_or(TensorAction::Store, TensorAction::Reduce);
    Ok(Op::Bulk(BulkOp::Tensor(TensorCopy { rank, action, shared, map, coordinates })))
}

fn prefetch(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let (rank, map, coordinates) = tensor(m, o)?;
    o.args.b = o.args.a;
    policy(m, o)?;
    let (action, shared) =
        (TensorAction::Prefetch, Address { memory: Memory::Shared, base: Base::Absolute, offset: 0 });
    Ok(Op::Bulk(BulkOp::Tensor(TensorCopy { rank, action, shared, map, coordinates })))
}

/// What the specification and CUDA number differently: the types of elements.
const ELEMENTS: [u64; 13] = [0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12];

fn replace(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    check_target(o)?;
    let mut address = o.address(memory(m))?;
    let field = m.meaning(&FIELDS).expect("every form has a field");
    if field.count > 1 {
        match o.take()? {
            Operand::Int(nth, _) if *nth < field.count => address.offset += (nth * field.bytes) as i64,
            other => {
                let message = format!("this number has to be below {}", field.count);
                return Err(o.error(span_of(other), message));
            }
        }
    }
    address.offset += field.at as i64;
    let value = o.take()?;
    let value = match *value {
        Operand::Int(number, span) if m.says("elemtype") => {
            let known = ELEMENTS.get(number as usize).copied();
            Operand::Int(known.ok_or_else(|| o.error(span, format!("there is no type {number}")))?, span)
        }
        _ if field.is_literal && !matches!(value, Operand::Int(..)) => {
            return Err(o.error(span_of(value), "expected a number"));
        }
        Operand::Int(number, span) if m.says("global_dim") => Operand::Int(number.wrapping_sub(1), span),
        Operand::Name(name) if m.says("global_dim") => Operand::Offset(name, -1),
        _ => value.clone(),
    };
    let (kind, register_bits) = if field.bytes == 8 { (Kind::B64, 64) } else { (Kind::B32, 32) };
    o.args.d = o.source(&value, kind)?;
    let (order, scope) = (Order::Weak, Scope::Sys);
    let (bytes, count, signed, read_only) = (field.bytes as u8, 1, false, false);
    Ok(Op::Store(Access { address, bytes, count, signed, register_bits, order, scope, read_only }))
}

/// The destination comes before the source.
fn check_order(m: &Modifiers<'_>, o: &Operands<'_, '_>, source: &str) -> Result<(), Error> {
    let opcode = o.instruction.opcode;
    let place = |word: &str| opcode.text.split('.').position(|part| part == word);
    let other = ["global", "shared::cta", "shared::cluster"].into_iter().filter(|word| *word != source);
    if other.filter(|word| m.says(word)).all(|word| place(word) < place(source)) {
        return Ok(());
    }
    Err(o.error(opcode.span, format!("`{}` is not supported: the destination comes first", opcode.text)))
}

/// Takes `[map, {x, y}]`; the base of the map goes to `args.a`.
fn tensor(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<(u8, Address, [Slot; MAX_RANK]), Error> {
    let named = [("1d", 1), ("2d", 2), ("3d", 3), ("4d", 4), ("5d", 5)];
    let rank: u8 = m.meaning(&named).expect("every form of a tensor copy has a dimension");
    let operand = o.take()?;
    let span = span_of(operand);
    let Operand::Tensor { base: Some(name), offset, items, .. } = operand else {
        return Err(o.error(span, "expected a tensor map and coordinates, as in `[%rd1, {%r1, %r2}]`"));
    };
    let map = o.address_at((Some(*name), *offset, span), Memory::Generic)?;
    let [Operand::Vector(elements, _)] = items.as_slice() else {
        return Err(o.error(span, "expected the coordinates in braces after the tensor map"));
    };
    if elements.len() != usize::from(rank) {
        let message = format!("expected {rank} coordinates here, found {}", elements.len());
        return Err(o.error(span, message));
    }
    let mut coordinates = [0; MAX_RANK];
    for (slot, element) in coordinates.iter_mut().zip(elements) {
        *slot = o.source(element, Kind::B32)?;
    }
    Ok((rank, map, coordinates))
}

/// The reduction of elements of a type, if there is one. Sums may flush floats, as atomics in global memory do.
pub fn reduction(combining: Combining, element: Type, flushes: bool) -> Option<Reduction> {
    let reduction = combining.taken(element).map(|ty| reduction_of(combining.name(), ty))?;
    let flushed = update_global(combining.name(), element).filter(|_| flushes);
    Some(Reduction { update: flushed.unwrap_or(reduction.update), ..reduction })
}

#[cfg(test)]
mod tests {
    use super::super::testing::refuses;
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused() {
        let load = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes";
        refuses(load, "x x x", "expected an address in brackets");
        refuses(
            "cp.async.bulk.tensor.2d.global.shared::cta.im2col_no_offs.bulk_group",
            "x x",
            "not `.im2col_no_offs`",
        );
        refuses("cp.async.bulk.tensor.2d.shared::cta.global.bulk_group", "x x", "comes first");
        refuses(
            "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes",
            "x x x",
            "`.tile` only",
        );
    }

    #[test]
    fn a_reduction_takes_the_elements_that_it_has_a_meaning_for() {
        let sum = reduction(Combining::Add, Type::F16, false).unwrap();
        assert_eq!((sum.bytes, (sum.update)(0x3c00, 0x3c00, 0)), (2, 0x4000));
        let smaller = reduction(Combining::Min, Type::S64, false).unwrap();
        assert_eq!((smaller.bytes, (smaller.update)(1, u64::MAX, 0)), (8, u64::MAX));
        assert!(reduction(Combining::Xor, Type::S32, false).is_some());
        for (flushes, sum_of_subnormals) in [(false, 3), (true, 0)] {
            let sum = reduction(Combining::Add, Type::F32, flushes).unwrap();
            assert_eq!((sum.update)(1, 2, 0), sum_of_subnormals);
        }
        for (combining, element) in [
            (Combining::Add, Type::F64),
            (Combining::Add, Type::S64),
            (Combining::Max, Type::F32),
            (Combining::Inc, Type::S32),
            (Combining::And, Type::U16),
            (Combining::Or, Type::F32),
        ] {
            assert!(reduction(combining, element, false).is_none(), "{combining:?} {element:?}");
        }
    }
}
