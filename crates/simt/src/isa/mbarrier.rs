//! `mbarrier`: barriers that are objects in shared memory. Threads arrive at them and wait for their phases.
//!
//! In the specification an object is 64 opaque bits, and so is the state that an arrival returns. Here both are an
//! [`Object`]: the present one, and the one before the arrival. The meaning of an operation is a function from one
//! object to the next. [`crate::exec`] loads and stores the object, lane by lane, and records where objects are.
//!
//! Left out: objects of other blocks of a cluster (`.shared::cluster`), and with them `.cluster` means no more than `.cta`.
//! Specification: PTX ISA, section 9.7.13.15.

use super::grammar::Modifiers;
use super::memory::{memory, order, scope};
use super::op::mbarrier::{Action, Arrival, Mbarrier, Object};
use super::operands::{Operands, span_of};
use super::value::{Kind, alu};
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::isa::op::memory::Address;
use crate::order::{Order, Scope};
use crate::ptx::Error;
use crate::ptx::ast::Operand;

/// Mbarriers.
pub const FAMILY: Family = Family {
    title: "Barriers in memory",
    section: "9.7.13.15",
    forms: &[
        Form::new("mbarrier.init.<shared>?.b64", |m, o| counted(m, o, Action::Init)).since(80),
        Form::new("mbarrier.inval.<shared>?.b64", |m, o| {
            let address = o.address(memory(m))?;
            Ok(op(m, address, Action::Invalidate, false, Order::Relaxed))
        })
        .since(80),
        Form::new("mbarrier.(arrive|arrive_drop).noComplete?.<shared>?.b64", arrive).since(80),
        Form::new("mbarrier.(arrive|arrive_drop).noComplete?.release.cta.<shared>?.b64", arrive).since(80),
        Form::new("mbarrier.(arrive|arrive_drop).relaxed.(cta|cluster).<shared>?.b64", arrive).since(90),
        Form::new("mbarrier.(arrive|arrive_drop).release.cluster.<shared>?.b64", arrive).since(90),
        Form::new("mbarrier.(arrive|arrive_drop).expect_tx.<shared>?.b64", arrive).since(90),
        Form::new(
            "mbarrier.(arrive|arrive_drop).expect_tx.(release|relaxed).(cta|cluster).<shared>?.b64",
            arrive,
        )
        .since(90),
        Form::new("mbarrier.(arrive|arrive_drop).expect_tx?.shared::cluster.b64", arrive)
            .since(90)
            .version(8, 0),
        Form::new(
            "mbarrier.(arrive|arrive_drop).expect_tx?.(release|relaxed).(cta|cluster).shared::cluster.b64",
            arrive,
        )
        .since(90)
        .version(8, 0),
        Form::new("mbarrier.(expect_tx|complete_tx).shared::cluster.b64", transactions).since(90),
        Form::new("mbarrier.(expect_tx|complete_tx).relaxed.(cta|cluster).shared::cluster.b64", transactions)
            .since(90),
        Form::new("mbarrier.(expect_tx|complete_tx).<shared>?.b64", transactions).since(90),
        Form::new("mbarrier.(expect_tx|complete_tx).relaxed.(cta|cluster).<shared>?.b64", transactions)
            .since(90),
        Form::new("mbarrier.test_wait.parity?.<shared>?.b64", wait).since(80),
        Form::new("mbarrier.test_wait.parity?.acquire.cta.<shared>?.b64", wait).since(80),
        Form::new("mbarrier.test_wait.parity?.acquire.cluster.<shared>?.b64", wait).since(90),
        Form::new("mbarrier.test_wait.parity?.relaxed.(cta|cluster).<shared>?.b64", wait).since(90),
        Form::new("mbarrier.try_wait.parity?.<shared>?.b64", wait).since(90),
        Form::new("mbarrier.try_wait.parity?.(acquire|relaxed).(cta|cluster).<shared>?.b64", wait).since(90),
        Form::new("mbarrier.pending_count.b64", |_, o| {
            o.alu(alu!((u64) -> u32, |state| Object::from_bits(state).pending))
        })
        .since(80),
    ],
};

fn op(m: &Modifiers<'_>, address: Address, action: Action, counted: bool, usual: Order) -> Op {
    let (order, scope) = (order(m).unwrap_or(usual), scope(m).unwrap_or(Scope::Cta));
    Op::Mbarrier(Mbarrier { address, action, counted, order, scope })
}

fn counted(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, action: Action) -> Result<Op, Error> {
    let address = o.address(memory(m))?;
    o.args.b = o.take_source(Kind::B32)?;
    Ok(op(m, address, action, true, Order::Relaxed))
}

fn transactions(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    counted(m, o, if m.says("expect_tx") { Action::Expect } else { Action::Complete })
}

fn arrive(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let state = o.take()?;
    if m.says("shared::cluster") && !matches!(state, Operand::Sink(_)) {
        return Err(
            o.error(span_of(state), "an arrival at another block's mbarrier returns no state: write `_`")
        );
    }
    o.args.d = o.result_or_sink(state, Kind::B64)?;
    let address = o.address(memory(m))?;
    let arrival = Arrival {
        drops: m.says("arrive_drop"),
        no_complete: m.says("noComplete"),
        expects: m.says("expect_tx"),
    };
    let is_counted = o.remaining() > 0 || arrival.expects || arrival.no_complete;
    if is_counted {
        o.args.b = o.take_source(Kind::B32)?;
    }
    Ok(op(m, address, Action::Arrive(arrival), is_counted, Order::Release))
}

fn wait(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.args.d = o.take_result(Kind::Pred)?;
    let address = o.address(memory(m))?;
    let by_parity = m.says("parity");
    let (action, kind) = if by_parity { (Action::WaitParity, Kind::B32) } else { (Action::Wait, Kind::B64) };
    o.args.b = o.take_source(kind)?;
    // The longest time that the hardware may suspend the thread. Here no thread is suspended; the instruction answers
    // at once.
    if m.says("try_wait") && o.remaining() > 0 {
        o.args.c = o.take_source(Kind::B32)?;
    }
    Ok(op(m, address, action, true, Order::Acquire))
}
