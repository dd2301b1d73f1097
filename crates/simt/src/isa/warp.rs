//! Instructions in which the lanes of a warp exchange values: shuffles, votes, matches, reductions, and the
//! warp barrier.
//!
//! They are decoded to a [`Collective`], and [`Collective::evaluate`] is a pure function from what every lane
//! contributes to what every lane gets. [`crate::exec`] decides which lanes take part, and when all of them have
//! arrived. Specification: PTX ISA, sections 9.7.9.6 (`shfl.sync`), 9.7.13.8 (`vote.sync`), 9.7.13.9 (`match.sync`),
//! 9.7.13.10 (`activemask`), 9.7.13.11 (`redux.sync`), 9.7.13.14 (`elect.sync`) and 9.7.13.2 (`bar.warp.sync`).

use super::grammar::Modifiers;
use super::op::warp::{Collective, Exchange, Reduce, Shuffle, Vote};
use super::operands::{Operands, span_of};
use super::value::Kind;
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::ptx::Error;
use crate::ptx::ast::Operand;

/// Exchange between the lanes of a warp.
pub const FAMILY: Family = Family {
    title: "Warp-level exchange",
    section: "9.7.9.6, 9.7.13.2, 9.7.13.8 to 9.7.13.11, 9.7.13.14",
    forms: &[
        Form::new("shfl.sync.(up|down|bfly|idx).b32", shuffle),
        // Without a membermask: the assembler refuses it from Volta on.
        Form::new("shfl.(up|down|bfly|idx).b32", shuffle).until(69),
        Form::new("vote.sync.(all|any|uni).pred", vote),
        Form::new("vote.sync.ballot.b32", vote),
        Form::new("vote.(all|any|uni).pred", vote).until(69),
        Form::new("vote.ballot.b32", vote).until(69),
        Form::new("match.(any|all).sync.(b32|b64)", matching).since(70),
        Form::new("redux.sync.(add|min|max).(u32|s32)", redux).since(80),
        Form::new("redux.sync.(and|or|xor).b32", redux).since(80),
        Form::new("elect.sync", elect).since(90),
        Form::new("bar.warp.sync", |m, o| collective(m, o, Exchange::Barrier, Kind::B32, false)),
        Form::new("activemask.b32", |_, o| {
            o.args.d = o.take_result(Kind::B32)?;
            Ok(Op::ActiveMask)
        }),
    ],
};

fn shuffle(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let mode = m.meaning(&[("up", Shuffle::Up), ("down", Shuffle::Down), ("bfly", Shuffle::Bfly)]);
    two_results(o)?;
    o.args.a = o.take_source(Kind::B32)?;
    let (b, c) = (o.take()?, o.take()?);
    (o.args.b, o.args.c) = (o.source(b, Kind::B32)?, o.source(c, Kind::B32)?);
    collective(m, o, Exchange::Shuffle(mode.unwrap_or(Shuffle::Idx)), Kind::B32, false)
}

fn vote(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let vote = m.meaning(&[("all", Vote::All), ("any", Vote::Any), ("uni", Vote::Uni)]);
    match vote {
        // The result is a predicate, which evaluation returns in the place of a second result.
        Some(_) => o.args.q = o.take_result(Kind::Pred)?,
        None => o.args.d = o.take_result(Kind::B32)?,
    }
    let (predicate, negated) = o.predicate()?;
    o.args.a = predicate;
    collective(m, o, vote.map_or(Exchange::Ballot, Exchange::Vote), Kind::Pred, negated)
}

fn matching(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let exchange = if m.says("any") {
        one_result(o)?;
        Exchange::MatchAny
    } else {
        two_results(o)?;
        Exchange::MatchAll
    };
    let kind = if m.says("b64") { Kind::B64 } else { Kind::B32 };
    o.args.a = o.take_source(kind)?;
    collective(m, o, exchange, kind, false)
}

fn redux(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let reduce = match (m.text(2), m.text(3)) {
        ("add", _) => Reduce::Add,
        ("min", "u32") => Reduce::MinU32,
        ("max", "u32") => Reduce::MaxU32,
        ("min", _) => Reduce::MinS32,
        ("max", _) => Reduce::MaxS32,
        ("and", _) => Reduce::And,
        ("or", _) => Reduce::Or,
        _ => Reduce::Xor,
    };
    one_result(o)?;
    o.args.a = o.take_source(Kind::B32)?;
    collective(m, o, Exchange::Reduce(reduce), Kind::B32, false)
}

fn elect(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    two_results(o)?;
    collective(m, o, Exchange::Elect, Kind::B32, false)
}

/// Takes `d`.
fn one_result(o: &mut Operands<'_, '_>) -> Result<(), Error> {
    let operand = o.take()?;
    if let Operand::Pair(..) = operand {
        return Err(o.error(span_of(operand), "this instruction has one result"));
    }
    o.args.d = o.result(operand, Kind::B32)?;
    Ok(())
}

/// Takes `d` or `d|q`. Either may be left out; a shuffle's first one may not.
fn two_results(o: &mut Operands<'_, '_>) -> Result<(), Error> {
    let operand = o.take()?;
    let sink = Operand::Sink(span_of(operand));
    let (d, q) = match operand {
        Operand::Pair(d, q) => (&**d, &**q),
        single => (single, &sink),
    };
    let is_shuffle = o.instruction.opcode.text.starts_with("shfl");
    o.args.d = if is_shuffle { o.result(d, Kind::B32)? } else { o.result_or_sink(d, Kind::B32)? };
    o.args.q = o.result_or_sink(q, Kind::Pred)?;
    Ok(())
}

/// Takes the membermask, if there is one.
fn collective(
    m: &Modifiers<'_>,
    o: &mut Operands<'_, '_>,
    exchange: Exchange,
    source: Kind,
    negated: bool,
) -> Result<Op, Error> {
    let sync = m.says("sync");
    if sync {
        o.args.e = o.take_source(Kind::B32)?;
    }
    Ok(Op::Collective(Collective { exchange, sync, negated, source }))
}
