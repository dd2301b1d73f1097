//! `mbarrier`: barriers that are objects in shared memory. Threads arrive at them and wait for their phases.
//!
//! In the specification an object is 64 opaque bits, and so is the state that an arrival returns. Here both are an
//! [`Object`]: the present one, and the one before the arrival. The meaning of an operation is a function from one
//! object to the next. [`crate::exec`] loads and stores the object, lane by lane, and records where objects are.
//!
//! Left out: objects of other blocks of a cluster (`.shared::cluster`), and with them `.cluster` means no more than `.cta`;
//! `cp.async`. Specification: PTX ISA, section 9.7.13.15.

use super::grammar::Modifiers;
use super::memory::{memory, order, scope};
use super::op::mbarrier::{Action, Arrival, Mbarrier, Object};
use super::operands::Operands;
use super::value::{Kind, alu};
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::isa::op::memory::Address;
use crate::order::{Order, Scope};
use crate::ptx::Error;

/// Mbarriers.
pub const FAMILY: Family = Family {
    title: "Barriers in memory",
    section: "9.7.13.15",
    forms: &[
        Form::new("mbarrier.init.<shared>?.b64", |m, o| counted(m, o, Action::Init)).since(80),
        Form::new("mbarrier.inval.<shared>?.b64", |m, o| {
            let address = o.address(memory(m.text(2)))?;
            Ok(op(address, Action::Invalidate, false, RELAXED))
        })
        .since(80),
        Form::new("mbarrier.(arrive|arrive_drop).noComplete?.<shared>?.b64", |m, o| {
            arrive(m, o, Parts { no_complete: 2, space: 3, ..PARTS })
        })
        .since(80),
        Form::new("mbarrier.(arrive|arrive_drop).noComplete?.release.cta.<shared>?.b64", |m, o| {
            arrive(m, o, Parts { no_complete: 2, order: 3, scope: 4, space: 5 })
        })
        .since(80),
        Form::new("mbarrier.(arrive|arrive_drop).relaxed.(cta|cluster).<shared>?.b64", |m, o| {
            arrive(m, o, Parts { order: 2, scope: 3, space: 4, ..PARTS })
        })
        .since(90),
        Form::new("mbarrier.(arrive|arrive_drop).release.cluster.<shared>?.b64", |m, o| {
            arrive(m, o, Parts { order: 2, scope: 3, space: 4, ..PARTS })
        })
        .since(90),
        Form::new("mbarrier.(arrive|arrive_drop).expect_tx.<shared>?.b64", |m, o| {
            arrive(m, o, Parts { space: 3, ..PARTS })
        })
        .since(90),
        Form::new(
            "mbarrier.(arrive|arrive_drop).expect_tx.(release|relaxed).(cta|cluster).<shared>?.b64",
            |m, o| arrive(m, o, Parts { order: 3, scope: 4, space: 5, ..PARTS }),
        )
        .since(90),
        Form::new("mbarrier.(expect_tx|complete_tx).<shared>?.b64", |m, o| {
            transactions(m, o, Parts { space: 2, ..PARTS })
        })
        .since(90),
        Form::new("mbarrier.(expect_tx|complete_tx).relaxed.(cta|cluster).<shared>?.b64", |m, o| {
            transactions(m, o, Parts { order: 2, scope: 3, space: 4, ..PARTS })
        })
        .since(90),
        Form::new("mbarrier.test_wait.parity?.<shared>?.b64", |m, o| wait(m, o, Parts { space: 3, ..PARTS }))
            .since(80),
        Form::new("mbarrier.test_wait.parity?.acquire.cta.<shared>?.b64", |m, o| {
            wait(m, o, Parts { order: 3, scope: 4, space: 5, ..PARTS })
        })
        .since(80),
        Form::new("mbarrier.test_wait.parity?.acquire.cluster.<shared>?.b64", |m, o| {
            wait(m, o, Parts { order: 3, scope: 4, space: 5, ..PARTS })
        })
        .since(90),
        Form::new("mbarrier.test_wait.parity?.relaxed.(cta|cluster).<shared>?.b64", |m, o| {
            wait(m, o, Parts { order: 3, scope: 4, space: 5, ..PARTS })
        })
        .since(90),
        Form::new("mbarrier.try_wait.parity?.<shared>?.b64", |m, o| wait(m, o, Parts { space: 3, ..PARTS }))
            .since(90),
        Form::new("mbarrier.try_wait.parity?.(acquire|relaxed).(cta|cluster).<shared>?.b64", |m, o| {
            wait(m, o, Parts { order: 3, scope: 4, space: 5, ..PARTS })
        })
        .since(90),
        Form::new("mbarrier.pending_count.b64", |_, o| {
            o.alu(alu!((u64) -> u32, |state| Object::from_bits(state).pending))
        })
        .since(80),
    ],
};

/// The segments of a form and what they select; 99 is a segment that no opcode has.
#[derive(Clone, Copy)]
struct Parts {
    no_complete: usize,
    order: usize,
    scope: usize,
    space: usize,
}

const PARTS: Parts = Parts { no_complete: 99, order: 99, scope: 99, space: 99 };
const RELAXED: (Order, Scope) = (Order::Relaxed, Scope::Cta);

fn op(address: Address, action: Action, counted: bool, (order, scope): (Order, Scope)) -> Op {
    Op::Mbarrier(Mbarrier { address, action, counted, order, scope })
}

/// The order and the scope that an opcode names, or the default order and the block.
fn ordered(m: &Modifiers<'_>, parts: Parts, usual: Order) -> (Order, Scope) {
    if m.has(parts.order) {
        (order(m.text(parts.order)), scope(m.text(parts.scope)))
    } else {
        (usual, Scope::Cta)
    }
}

fn counted(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, action: Action) -> Result<Op, Error> {
    transactions_or_count(m, o, 2, action, RELAXED)
}

fn transactions(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, parts: Parts) -> Result<Op, Error> {
    let action = if m.text(1) == "expect_tx" { Action::Expect } else { Action::Complete };
    transactions_or_count(m, o, parts.space, action, ordered(m, parts, Order::Relaxed))
}

fn transactions_or_count(
    m: &Modifiers<'_>,
    o: &mut Operands<'_, '_>,
    space: usize,
    action: Action,
    how: (Order, Scope),
) -> Result<Op, Error> {
    let address = o.address(memory(m.text(space)))?;
    let count = o.take()?;
    o.args.b = o.source(count, Kind::B32)?;
    Ok(op(address, action, true, how))
}

fn arrive(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, parts: Parts) -> Result<Op, Error> {
    let state = o.take()?;
    o.args.d = o.result_or_sink(state, Kind::B64)?;
    let address = o.address(memory(m.text(parts.space)))?;
    let expects = m.words().any(|word| word == "expect_tx");
    let no_complete = m.has(parts.no_complete);
    let is_counted = o.remaining() > 0 || expects || no_complete;
    if is_counted {
        let count = o.take()?;
        o.args.b = o.source(count, Kind::B32)?;
    }
    let arrival = Arrival { drops: m.text(1) == "arrive_drop", no_complete, expects };
    Ok(op(address, Action::Arrive(arrival), is_counted, ordered(m, parts, Order::Release)))
}

fn wait(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, parts: Parts) -> Result<Op, Error> {
    let complete = o.take()?;
    o.args.d = o.result(complete, Kind::Pred)?;
    let address = o.address(memory(m.text(parts.space)))?;
    let (action, kind) = if m.has(2) { (Action::WaitParity, Kind::B32) } else { (Action::Wait, Kind::B64) };
    let phase = o.take()?;
    o.args.b = o.source(phase, kind)?;
    // The longest time that the hardware may suspend the thread. Here no thread is suspended; the instruction answers
    // at once.
    if m.text(1) == "try_wait" && o.remaining() > 0 {
        let hint = o.take()?;
        o.args.c = o.source(hint, Kind::B32)?;
    }
    Ok(op(address, action, true, ordered(m, parts, Order::Acquire)))
}
