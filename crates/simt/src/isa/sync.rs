//! Barriers of a block: `bar` and `barrier`.
//!
//! `barrier.cluster` and `mbarrier` are in families of their own. Specification: PTX ISA, section 9.7.13.1.

use super::grammar::Modifiers;
use super::op::sync::{Action, Barrier, Combine};
use super::operands::Operands;
use super::value::Kind;
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::ptx::Error;

/// Block barriers.
pub const FAMILY: Family = Family {
    title: "Block barriers",
    section: "9.7.13.1",
    forms: &[
        Form::new("bar.cta?.sync", |m, o| barrier(m, o, Action::Sync)),
        Form::new("bar.cta?.arrive", |m, o| barrier(m, o, Action::Arrive)),
        Form::new("bar.cta?.red.popc.u32", |m, o| reduction(m, o, Combine::Popc)),
        Form::new("bar.cta?.red.and.pred", |m, o| reduction(m, o, Combine::And)),
        Form::new("bar.cta?.red.or.pred", |m, o| reduction(m, o, Combine::Or)),
        Form::new("barrier.cta?.sync.aligned?", |m, o| barrier(m, o, Action::Sync)),
        Form::new("barrier.cta?.arrive.aligned?", |m, o| barrier(m, o, Action::Arrive)),
        Form::new("barrier.cta?.red.popc.aligned?.u32", |m, o| reduction(m, o, Combine::Popc)),
        Form::new("barrier.cta?.red.and.aligned?.pred", |m, o| reduction(m, o, Combine::And)),
        Form::new("barrier.cta?.red.or.aligned?.pred", |m, o| reduction(m, o, Combine::Or)),
    ],
};

fn is_aligned(m: &Modifiers<'_>) -> bool {
    m.text(0) == "bar" || m.says("aligned")
}

fn barrier(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, action: Action) -> Result<Op, Error> {
    o.args.a = o.take_source(Kind::B32)?;
    let counted = o.remaining() > 0 || action == Action::Arrive;
    if counted {
        o.args.b = o.take_source(Kind::B32)?;
    }
    Ok(Op::Barrier(Barrier { action, counted, negated: false, aligned: is_aligned(m) }))
}

fn reduction(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, combine: Combine) -> Result<Op, Error> {
    o.args.d = o.take_result(if combine == Combine::Popc { Kind::B32 } else { Kind::Pred })?;
    o.args.a = o.take_source(Kind::B32)?;
    let counted = o.remaining() > 1;
    if counted {
        o.args.b = o.take_source(Kind::B32)?;
    }
    let (predicate, negated) = o.predicate()?;
    o.args.c = predicate;
    Ok(Op::Barrier(Barrier { action: Action::Reduce(combine), counted, negated, aligned: is_aligned(m) }))
}
