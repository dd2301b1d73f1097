//! Clusters of blocks: their barrier, and addresses in the shared memory of their blocks.
//!
//! An address in the window `.shared::cluster` is one of the block itself, or has a part that names another block of the
//! cluster by its rank ([`super::op::cluster`]). Loads, stores, atomics and `mbarrier` operations with such addresses are in
//! their own families. Specification: PTX ISA, sections 9.7.9.23 (`mapa`), 9.7.9.24 (`getctarank`) and 9.7.13.3
//! (`barrier.cluster`).

use super::grammar::Modifiers;
use super::memory::order;
use super::op::cluster::{ClusterAddress, ClusterBarrier};
use super::op::memory::Memory;
use super::operands::Operands;
use super::scope::Symbol;
use super::value::Kind;
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::order::Order;
use crate::ptx::Error;
use crate::ptx::ast::{Operand, Type};

/// Clusters.
pub const FAMILY: Family = Family {
    title: "Clusters",
    section: "9.7.9.23, 9.7.9.24, 9.7.13.3",
    forms: &[
        Form::new("barrier.cluster.arrive.(release|relaxed)?.aligned?", |m, _| {
            Ok(barrier(m, Order::Release))
        })
        .since(90)
        .version(7, 8),
        Form::new("barrier.cluster.wait.acquire?.aligned?", |m, _| Ok(barrier(m, Order::Acquire)))
            .since(90)
            .version(7, 8),
        Form::new("mapa.shared::cluster?.(u32|u64)", mapa).since(90).version(7, 8),
        Form::new("getctarank.shared::cluster?.(u32|u64)", getctarank).since(90).version(7, 8),
    ],
};

fn barrier(m: &Modifiers<'_>, usual: Order) -> Op {
    let (waits, order) = (usual == Order::Acquire, order(m).unwrap_or(usual));
    Op::ClusterBarrier(ClusterBarrier { waits, order, aligned: m.says("aligned") })
}

fn mapa(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let kind = kind_of_address(m);
    o.args.d = o.take_result(kind)?;
    o.args.a = take_address(m, o, kind)?;
    o.args.b = o.take_source(Kind::B32)?;
    Ok(Op::ClusterAddress { asks: ClusterAddress::Map, wide: kind == Kind::B64 })
}

fn getctarank(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let kind = kind_of_address(m);
    o.args.d = o.take_result(Kind::B32)?;
    o.args.a = take_address(m, o, kind)?;
    Ok(Op::ClusterAddress { asks: ClusterAddress::Rank, wide: kind == Kind::B64 })
}

fn kind_of_address(m: &Modifiers<'_>) -> Kind {
    if m.ty(2) == Type::U64 { Kind::B64 } else { Kind::B32 }
}

/// Takes a register, or, where the space is named, a variable in shared memory.
fn take_address(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, kind: Kind) -> Result<u16, Error> {
    let operand = o.take()?;
    let (name, offset) = match *operand {
        Operand::Name(name) => (name, 0),
        Operand::Offset(name, offset) => (name, offset),
        _ => return o.source(operand, kind),
    };
    let Some((_, Symbol::Variable(place))) = o.scope.find(name.text) else { return o.source(operand, kind) };
    if Memory::of(place.space) != Some(Memory::Shared) || !m.says("shared::cluster") {
        return Err(o.wrong_space(name, place.space));
    }
    o.address_of(name, offset, kind)
}

#[cfg(test)]
mod tests {
    use super::super::testing::refuses;

    #[test]
    fn what_does_not_fit_is_refused() {
        refuses("barrier.cluster.arrive", "1", "too many operands");
        refuses("barrier.cluster.wait.release", "", "is not supported");
        refuses("barrier.cluster.wait.relaxed", "", "is not supported");
        refuses("mapa.u64", "x r r", "has 32 bits");
        refuses("getctarank.u64", "x x", "has 64 bits");
    }
}
