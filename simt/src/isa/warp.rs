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
        Form::new("shfl.sync.(up|down|bfly|idx).b32", |m, o| shuffle(m.text(2), o, true)),
        // Without a membermask: the assembler refuses it from Volta on.
        Form::new("shfl.(up|down|bfly|idx).b32", |m, o| shuffle(m.text(1), o, false)).until(69),
        Form::new("vote.sync.(all|any|uni).pred", |m, o| vote(m.text(2), o, true)),
        Form::new("vote.sync.ballot.b32", |m, o| vote(m.text(2), o, true)),
        Form::new("vote.(all|any|uni).pred", |m, o| vote(m.text(1), o, false)).until(69),
        Form::new("vote.ballot.b32", |m, o| vote(m.text(1), o, false)).until(69),
        Form::new("match.(any|all).sync.(b32|b64)", matching).since(70),
        Form::new("redux.sync.(add|min|max).(u32|s32)", redux).since(80),
        Form::new("redux.sync.(and|or|xor).b32", redux).since(80),
        Form::new("elect.sync", elect).since(90),
        Form::new("bar.warp.sync", |_, o| collective(o, Exchange::Barrier, true)),
        Form::new("activemask.b32", |_, o| {
            let result = o.take()?;
            o.args.d = o.result(result, Kind::B32)?;
            Ok(Op::ActiveMask)
        }),
    ],
};

fn shuffle(mode: &str, o: &mut Operands<'_, '_>, sync: bool) -> Result<Op, Error> {
    let mode = match mode {
        "up" => Shuffle::Up,
        "down" => Shuffle::Down,
        "bfly" => Shuffle::Bfly,
        _ => Shuffle::Idx,
    };
    results(o, Kind::B32, Some(Kind::Pred))?;
    source(o, Kind::B32)?;
    let (b, c) = (o.take()?, o.take()?);
    (o.args.b, o.args.c) = (o.source(b, Kind::B32)?, o.source(c, Kind::B32)?);
    finish(o, Collective { exchange: Exchange::Shuffle(mode), sync, negated: false, source: Kind::B32 })
}

fn vote(mode: &str, o: &mut Operands<'_, '_>, sync: bool) -> Result<Op, Error> {
    let (exchange, result) = match mode {
        "all" => (Exchange::Vote(Vote::All), Kind::Pred),
        "any" => (Exchange::Vote(Vote::Any), Kind::Pred),
        "uni" => (Exchange::Vote(Vote::Uni), Kind::Pred),
        _ => (Exchange::Ballot, Kind::B32),
    };
    let operand = o.take()?;
    let slot = o.result(operand, result)?;
    // A vote's result is a predicate, which evaluation returns in the place of a second result.
    *if result == Kind::Pred { &mut o.args.q } else { &mut o.args.d } = slot;
    let operand = o.take()?;
    let negated = matches!(operand, Operand::Not(_));
    let plain = match operand {
        Operand::Not(name) => Operand::Name(*name),
        other => other.clone(),
    };
    o.args.a = o.source(&plain, Kind::Pred)?;
    finish(o, Collective { exchange, sync, negated, source: Kind::Pred })
}

fn matching(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let (exchange, second) = match m.text(1) {
        "any" => (Exchange::MatchAny, None),
        _ => (Exchange::MatchAll, Some(Kind::Pred)),
    };
    let kind = if m.text(3) == "b64" { Kind::B64 } else { Kind::B32 };
    results(o, Kind::B32, second)?;
    source(o, kind)?;
    finish(o, Collective { exchange, sync: true, negated: false, source: kind })
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
    results(o, Kind::B32, None)?;
    source(o, Kind::B32)?;
    finish(
        o,
        Collective { exchange: Exchange::Reduce(reduce), sync: true, negated: false, source: Kind::B32 },
    )
}

fn elect(_: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    results(o, Kind::B32, Some(Kind::Pred))?;
    collective(o, Exchange::Elect, true)
}

fn collective(o: &mut Operands<'_, '_>, exchange: Exchange, sync: bool) -> Result<Op, Error> {
    finish(o, Collective { exchange, sync, negated: false, source: Kind::B32 })
}

/// Takes `d` or `d|q`.
fn results(o: &mut Operands<'_, '_>, first: Kind, second: Option<Kind>) -> Result<(), Error> {
    let operand = o.take()?;
    let (d, q) = match (operand, second) {
        (Operand::Pair(d, q), Some(_)) => ((**d).clone(), (**q).clone()),
        (Operand::Pair(..), None) => {
            return Err(o.error(span_of(operand), "this instruction has one result"));
        }
        (single, _) => (single.clone(), Operand::Sink(span_of(single))),
    };
    // If there are two results, either may be left out; a shuffle's first one may not.
    let may_be_left_out = second.is_some() && !o.instruction.opcode.text.starts_with("shfl");
    o.args.d = if may_be_left_out { o.result_or_sink(&d, first)? } else { o.result(&d, first)? };
    if let Some(second) = second {
        o.args.q = o.result_or_sink(&q, second)?;
    }
    Ok(())
}

fn source(o: &mut Operands<'_, '_>, kind: Kind) -> Result<(), Error> {
    let operand = o.take()?;
    o.args.a = o.source(operand, kind)?;
    Ok(())
}

/// Takes the membermask, if there is one.
fn finish(o: &mut Operands<'_, '_>, collective: Collective) -> Result<Op, Error> {
    if collective.sync {
        let members = o.take()?;
        o.args.e = o.source(members, Kind::B32)?;
    }
    Ok(Op::Collective(collective))
}
