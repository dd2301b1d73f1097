//! Bulk copies: `cp.async.bulk`, `cp.reduce.async.bulk`, their groups, and the fences between the two proxies.
//!
//! A thread starts a bulk copy, and the hardware carries it out through the asynchronous proxy. It completes at an mbarrier,
//! which is told how many bytes have come, or with the bulk group of its thread. [`crate::exec::bulk`] carries them out.
//! So does a store with `st.async` or `red.async`, which takes its bytes from registers. Left out: byte masks.
//! Specification: PTX ISA, sections 9.7.9.25.4 (bulk copies) and 9.7.13.4 (proxy fences).

use super::atomic::{update, update_global};
use super::copy::number;
use super::float::exact::{self, BF16, F16, Format, Rounding};
use super::grammar::Modifiers;
use super::half::{larger, smaller};
use super::memory::access;
use super::op::atomic::Update;
use super::op::bulk::{AsyncStore, Bulk, BulkOp, Completion};
use super::operands::Operands;
use super::value::Kind;
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::isa::op::memory::{Address, Memory};
use crate::isa::op::place::bits;
use crate::machine::bulk::Reduction;
use crate::order::{Order, Scope, Semantics};
use crate::ptx::Error;
use crate::ptx::ast::Type;

/// Bulk copies.
pub const FAMILY: Family = Family {
    title: "Bulk copies and asynchronous stores",
    section: "9.7.9.25.4, 9.7.13.4",
    forms: &[
        Form::new("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint?", copy)
            .since(90)
            .version(8, 6),
        Form::new("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint?", copy)
            .since(90)
            .version(8, 0),
        Form::new(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint?",
            copy,
        )
        .since(90)
        .version(8, 0),
        Form::new("st.async.weak?.shared::cluster.mbarrier::complete_tx::bytes.<vector>?.(b32|b64|u32|u64|s32|s64|f32|f64)", store)
            .since(90)
            .version(8, 1),
        Form::new("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.(u32|s32|u64)", store)
            .since(90)
            .version(8, 1),
        Form::new("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.(min|max).(u32|s32)", store)
            .since(90)
            .version(8, 1),
        Form::new("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.(inc|dec).u32", store)
            .since(90)
            .version(8, 1),
        Form::new("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.(and|or|xor).b32", store)
            .since(90)
            .version(8, 1),
        Form::new("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", copy)
            .since(90)
            .version(8, 0),
        Form::new("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint?", copy).since(90).version(8, 0),
        Form::new("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.(and|or|xor).b32", copy)
            .since(90)
            .version(8, 0),
        Form::new("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.(u32|s32|u64)", copy)
            .since(90)
            .version(8, 0),
        Form::new("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.(inc|dec).u32", copy)
            .since(90)
            .version(8, 0),
        Form::new("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.(min|max).(u32|s32)", copy)
            .since(90)
            .version(8, 0),
        Form::new("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint?.(and|or|xor).(b32|b64)", copy)
            .since(90)
            .version(8, 0),
        Form::new("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint?.add.(u32|s32|u64|f32|f64)", copy)
            .since(90)
            .version(8, 0),
        Form::new("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint?.add.noftz.(f16|bf16)", copy)
            .since(90)
            .version(8, 0),
        Form::new("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint?.(inc|dec).u32", copy)
            .since(90)
            .version(8, 0),
        Form::new(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint?.(min|max).(u32|s32|u64|s64|f16|bf16)",
            copy,
        )
        .since(90)
        .version(8, 0),
        Form::new("cp.async.bulk.prefetch.L2.global.L2::cache_hint?", |m, o| {
            o.address(Memory::Global)?;
            o.take_source(Kind::B32)?;
            policy(m, o)?;
            Ok(Op::Hint)
        })
        .since(90)
        .version(8, 0),
        Form::new("cp.async.bulk.commit_group", |_, _| Ok(Op::Bulk(BulkOp::Commit))).since(90).version(8, 0),
        Form::new("cp.async.bulk.wait_group.read?", |m, o| {
            let groups = number(o)?.try_into().unwrap_or(u32::MAX);
            Ok(Op::Bulk(BulkOp::Wait { groups, read: m.says("read") }))
        })
        .since(90)
        .version(8, 0),
        Form::new("fence.proxy.async.(global|shared::cta|shared::cluster)?", |_, _| {
            Ok(Op::Bulk(BulkOp::ProxyFence))
        })
        .since(90)
        .version(8, 0),
        Form::new("fence.proxy.alias", |_, _| Ok(Op::Hint)).since(70).version(7, 5),
        Form::new("fence.mbarrier_init.release.cluster", |_, _| {
            Ok(Op::Fence(Semantics { order: Order::Release, scope: Scope::Cluster }))
        })
        .since(90)
        .version(8, 0),
    ],
};

fn copy(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let is_load = m.says("mbarrier::complete_tx::bytes") && m.says("global");
    let opcode = o.instruction.opcode;
    let place = |word: &str| opcode.text.split('.').position(|part| part == word);
    let swapped = match (is_load, m.says("bulk_group")) {
        (true, _) => place("global") < place("shared::cta").max(place("shared::cluster")),
        (_, true) => place("shared::cta") < place("global"),
        _ => place("shared::cta") < place("shared::cluster"),
    };
    if swapped {
        let message = format!("`{}` is not supported: the destination comes first", opcode.text);
        return Err(o.error(opcode.span, message));
    }
    let shared = if m.says("shared::cluster") { Memory::Cluster } else { Memory::Shared };
    let to = o.address(if m.says("bulk_group") { Memory::Global } else { shared })?;
    let to_base = o.args.a;
    let from = o.address(if is_load { Memory::Global } else { Memory::Shared })?;
    (o.args.b, o.args.a) = (o.args.a, to_base);
    o.args.c = o.take_source(Kind::B32)?;
    let end = if m.says("bulk_group") {
        Completion::Group
    } else {
        let base = o.args.a;
        let object: Address = o.address(shared)?;
        (o.args.e, o.args.a) = (o.args.a, base);
        Completion::Mbarrier(object)
    };
    let multicast = m.says("multicast::cluster");
    if multicast {
        o.args.q = o.take_source(Kind::B16)?;
    }
    policy(m, o)?;
    let reduction = m.says("reduce").then(|| reduction(m));
    Ok(Op::Bulk(BulkOp::Copy(Bulk { to, from, end, reduction, multicast })))
}

fn store(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let to = o.address(Memory::Cluster)?;
    let values = o.take()?;
    let access = access(m, o, to, values, false)?;
    let base = o.args.a;
    let object = o.address(Memory::Cluster)?;
    (o.args.e, o.args.a) = (o.args.a, base);
    let reduction = m.says("red").then(|| reduction(m));
    Ok(Op::Bulk(BulkOp::Store(AsyncStore { access, object, reduction })))
}

/// Takes the cache policy, which changes nothing that a program sees.
pub fn policy(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<(), Error> {
    if m.says("L2::cache_hint") {
        o.take_source(Kind::B64)?;
    }
    Ok(())
}

/// On an H200 a copy adds `f64` as atomics in global memory do, and `f32` as those in shared memory: no subnormal is flushed.
fn reduction(m: &Modifiers<'_>) -> Reduction {
    let mut words = m.words().rev();
    let ty = words.next().and_then(super::grammar::parse_type).expect("the form's grammar ends in a type");
    let operation = words.find(|word| *word != "noftz").unwrap_or_default();
    reduction_of(operation, ty)
}

/// The reduction of numbers of a type.
pub fn reduction_of(operation: &str, ty: Type) -> Reduction {
    let special: Option<Update> = match (operation, ty) {
        ("add", Type::F64) => update_global(operation, ty),
        ("add", Type::F16) => Some(|old, b, _| add(F16, old, b)),
        ("add", Type::Bf16) => Some(|old, b, _| add(BF16, old, b)),
        ("min", Type::F16) => Some(|old, b, _| smaller(F16, old, b)),
        ("min", Type::Bf16) => Some(|old, b, _| smaller(BF16, old, b)),
        ("max", Type::F16) => Some(|old, b, _| larger(F16, old, b)),
        ("max", Type::Bf16) => Some(|old, b, _| larger(BF16, old, b)),
        _ => None,
    };
    Reduction { bytes: (bits(ty) / 8) as u8, update: special.unwrap_or_else(|| update(operation, ty)) }
}

fn add(format: Format, old: u64, b: u64) -> u64 {
    exact::add(format, Rounding::Nearest, old, b)
}

#[cfg(test)]
mod tests {
    use super::super::testing::refuses;
    use super::*;
    use crate::isa::find;

    #[test]
    fn what_does_not_fit_is_refused() {
        refuses(
            "cp.async.bulk.global.shared::cluster.mbarrier::complete_tx::bytes",
            "x x r x",
            "comes first",
        );
        refuses("cp.async.bulk.shared::cta.global.bulk_group", "x x r", "comes first");
        refuses("cp.async.bulk.wait_group", "r", "expected a number");
        refuses("cp.async.bulk.commit_group", "1", "too many operands");
        refuses("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64", "x x r", "is not supported");
    }

    #[test]
    fn a_reduction_is_what_its_opcode_says() {
        let check = |opcode: &str, bytes, old, b, wanted| {
            let text = format!("cp.reduce.async.bulk.global.shared::cta.bulk_group.{opcode}");
            let (_, modifiers) = find(&text).unwrap();
            let Reduction { bytes: found, update } = reduction(&modifiers);
            assert_eq!((found, update(old, b, 0)), (bytes, wanted), "{opcode}");
        };
        check("add.u32", 4, 3, 4, 7);
        // What an H200 returns.
        check("add.f32", 4, 1, 1, 2);
        check("add.f32", 4, 0x7fc1_2345, 0x3f80_0000, 0x7fff_ffff);
        check("add.f64", 8, 1, 1, 2);
        check("add.f64", 8, 0x7ff4_0000_0000_0001, 0x3ff0_0000_0000_0000, 0x7ff4_0000_0000_0001);
        check("add.f64", 8, 0x3ff0_0000_0000_0000, 0xfff8_0000_0000_4321, 0xfff8_0000_0000_4321);
        check("add.f64", 8, 0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000, 0xfff8_0000_0000_0000);
        check("add.noftz.f16", 2, 0x7e01, 0x3c00, 0x7fff);
        check("add.noftz.f16", 2, 0x8001, 0x8001, 0x8002);
        check("min.f16", 2, 0x7d01, 0x7e03, 0x7fff);
        check("max.bf16", 2, 0x3f80, 0xffc2, 0x3f80);
        check("min.s64", 8, 1, u64::MAX, u64::MAX);
        check("inc.u32", 4, 5, 5, 0);
        check("xor.b64", 8, 6, 3, 5);
        check("add.noftz.f16", 2, 0x3c00, 0x3c00, 0x4000);
        check("add.noftz.bf16", 2, 0x3f80, 0x3f80, 0x4000);
        check("max.f16", 2, 0x3c00, 0xbc00, 0x3c00);
        check("min.bf16", 2, 0x3f80, 0xbf80, 0xbf80);
    }
}
