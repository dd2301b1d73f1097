//! `mbarrier`: barriers that are objects in shared memory, on which threads arrive and whose phases they wait for.
//!
//! To the specification an object is 64 opaque bits, and so is the state that an arrival returns. Here both are an
//! [`Object`]: what is there, and what was there before the arrival. What the operations mean is a function from one object
//! to the next; the engine fetches and stores it, lane by lane, and says where objects are.
//!
//! Left out: objects of other blocks of a cluster (`.shared::cluster`), and with them `.cluster` means no more than `.cta`;
//! `cp.async`. Specification: PTX ISA, section 9.7.13.15.

use super::grammar::Modifiers;
use super::memory::{Address, memory, order, scope};
use super::operands::Operands;
use super::value::{Kind, alu};
use super::{Family, Form, Op};
use crate::order::{Order, Reach};
use crate::ptx::Error;

/// Mbarriers.
pub const FAMILY: Family = Family {
    title: "Barriers in memory",
    section: "9.7.13.15",
    forms: &[
        Form::new("mbarrier.init.(shared|shared::cta)?.b64", |m, o| counted(m, o, Action::Init)).since(80),
        Form::new("mbarrier.inval.(shared|shared::cta)?.b64", |m, o| {
            let address = o.address(memory(m.text(2)))?;
            Ok(op(address, Action::Invalidate, false, RELAXED))
        })
        .since(80),
        Form::new("mbarrier.(arrive|arrive_drop).noComplete?.(shared|shared::cta)?.b64", |m, o| {
            arrive(m, o, Parts { no_complete: 2, space: 3, ..PARTS })
        })
        .since(80),
        Form::new("mbarrier.(arrive|arrive_drop).noComplete?.release.cta.(shared|shared::cta)?.b64", |m, o| {
            arrive(m, o, Parts { no_complete: 2, order: 3, scope: 4, space: 5 })
        })
        .since(80),
        Form::new("mbarrier.(arrive|arrive_drop).relaxed.(cta|cluster).(shared|shared::cta)?.b64", |m, o| {
            arrive(m, o, Parts { order: 2, scope: 3, space: 4, ..PARTS })
        })
        .since(90),
        Form::new("mbarrier.(arrive|arrive_drop).release.cluster.(shared|shared::cta)?.b64", |m, o| {
            arrive(m, o, Parts { order: 2, scope: 3, space: 4, ..PARTS })
        })
        .since(90),
        Form::new("mbarrier.(arrive|arrive_drop).expect_tx.(shared|shared::cta)?.b64", |m, o| {
            arrive(m, o, Parts { space: 3, ..PARTS })
        })
        .since(90),
        Form::new(
            "mbarrier.(arrive|arrive_drop).expect_tx.(release|relaxed).(cta|cluster).(shared|shared::cta)?.b64",
            |m, o| arrive(m, o, Parts { order: 3, scope: 4, space: 5, ..PARTS }),
        )
        .since(90),
        Form::new("mbarrier.(expect_tx|complete_tx).(shared|shared::cta)?.b64", |m, o| {
            transactions(m, o, Parts { space: 2, ..PARTS })
        })
        .since(90),
        Form::new("mbarrier.(expect_tx|complete_tx).relaxed.(cta|cluster).(shared|shared::cta)?.b64", |m, o| {
            transactions(m, o, Parts { order: 2, scope: 3, space: 4, ..PARTS })
        })
        .since(90),
        Form::new("mbarrier.test_wait.parity?.(shared|shared::cta)?.b64", |m, o| {
            wait(m, o, Parts { space: 3, ..PARTS })
        })
        .since(80),
        Form::new("mbarrier.test_wait.parity?.acquire.cta.(shared|shared::cta)?.b64", |m, o| {
            wait(m, o, Parts { order: 3, scope: 4, space: 5, ..PARTS })
        })
        .since(80),
        Form::new("mbarrier.test_wait.parity?.acquire.cluster.(shared|shared::cta)?.b64", |m, o| {
            wait(m, o, Parts { order: 3, scope: 4, space: 5, ..PARTS })
        })
        .since(90),
        Form::new("mbarrier.test_wait.parity?.relaxed.(cta|cluster).(shared|shared::cta)?.b64", |m, o| {
            wait(m, o, Parts { order: 3, scope: 4, space: 5, ..PARTS })
        })
        .since(90),
        Form::new("mbarrier.try_wait.parity?.(shared|shared::cta)?.b64", |m, o| {
            wait(m, o, Parts { space: 3, ..PARTS })
        })
        .since(90),
        Form::new(
            "mbarrier.try_wait.parity?.(acquire|relaxed).(cta|cluster).(shared|shared::cta)?.b64",
            |m, o| wait(m, o, Parts { order: 3, scope: 4, space: 5, ..PARTS }),
        )
        .since(90),
        Form::new("mbarrier.pending_count.b64", |_, o| {
            o.alu(alu!((u64) -> u32, |state| Object::from_bits(state).pending))
        })
        .since(80),
    ],
};

/// An operation on an object. Its address is `args.a`; a count, or what is waited for, `args.b`, as wide as the action
/// says; its result, a state or a predicate, `args.d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mbarrier {
    /// Where the object is.
    pub address: Address,
    /// What it does.
    pub action: Action,
    /// Whether it names a count; 1 where it does not.
    pub counted: bool,
    /// How it is ordered.
    pub order: Order,
    /// Among whom.
    pub scope: Reach,
}

impl Mbarrier {
    /// The first target that has it with these operands: what a form cannot say.
    pub fn min_sm(&self) -> u32 {
        match self.action {
            Action::Arrive(Arrival { no_complete: false, .. }) if self.counted => 90,
            _ => 80,
        }
    }

    /// Whether it only asks for a phase.
    pub fn asks(&self) -> bool {
        matches!(self.action, Action::Wait | Action::WaitParity)
    }
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Makes an object for so many arrivals a phase.
    Init,
    /// Ends an object, so that its bytes can be used for something else.
    Invalidate,
    /// Arrives, so many times, and returns the state from before.
    Arrive(Arrival),
    /// Expects transactions before the phase can complete.
    Expect,
    /// Completes transactions: what copies of the hardware do, done by a thread.
    Complete,
    /// Asks whether the phase of a state is complete.
    Wait,
    /// Asks whether the phase of a parity is complete.
    WaitParity,
}

/// How somebody arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Whether it leaves for good: later phases expect so many arrivals less.
    pub drops: bool,
    /// Whether it promises not to complete the phase.
    pub no_complete: bool,
    /// Whether its number is one of transactions that it expects, and it arrives once.
    pub expects: bool,
}

/// The largest count of an object.
pub const MAX_COUNT: u32 = (1 << 20) - 1;

/// An object, and a state.
///
/// As 64 bits: the arrivals that a phase expects in bits 0 to 19, those that the present one still waits for in bits 20 to
/// 39, transactions in bits 40 to 60 as a number with a sign, and the phase, counted round, in bits 61 to 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// Arrivals that each phase expects from the next on.
    pub expected: u32,
    /// Arrivals that the present phase still waits for.
    pub pending: u32,
    /// Transactions that it still waits for.
    pub transactions: i32,
    /// Which phase it is, modulo 8.
    pub phase: u8,
}

/// What nobody may do to an object: the specification says of none of it what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// There is no object at the place.
    NoObject,
    /// There is one already.
    IsThere,
    /// No object counts so far.
    Count(u32),
    /// More arrivals than the phase waits for.
    TooMany {
        /// How often somebody arrives.
        count: u32,
        /// What the phase waits for.
        pending: u32,
    },
    /// An arrival that promised not to complete the phase completes it.
    Completes,
    /// More transactions than an object counts.
    Transactions(i64),
    /// The state is of a phase before the last one.
    Stale,
    /// A load, a store or an atomic goes to its bytes.
    Plain,
    /// It is not in shared memory.
    NotShared,
}

impl Object {
    /// An object in its first phase.
    pub fn new(count: u32) -> Result<Object, Misuse> {
        if !(1..=MAX_COUNT).contains(&count) {
            return Err(Misuse::Count(count));
        }
        Ok(Object { expected: count, pending: count, transactions: 0, phase: 0 })
    }

    /// The object of these bits.
    pub fn from_bits(bits: u64) -> Object {
        Object {
            expected: bits as u32 & MAX_COUNT,
            pending: (bits >> 20) as u32 & MAX_COUNT,
            transactions: (bits << 3 >> 32) as i32 >> 11,
            phase: (bits >> 61) as u8,
        }
    }

    /// Its bits.
    pub fn to_bits(self) -> u64 {
        let transactions = self.transactions as u64 & ((1 << 21) - 1);
        u64::from(self.expected)
            | u64::from(self.pending) << 20
            | transactions << 40
            | u64::from(self.phase) << 61
    }

    /// What `number` arrivals, or one that expects so many transactions, make of it.
    pub fn arrive(self, arrival: Arrival, number: u32) -> Result<Object, Misuse> {
        let mut object = if arrival.expects { self.expect(i64::from(number))? } else { self };
        let count = if arrival.expects { 1 } else { number };
        if !(1..=MAX_COUNT).contains(&count) {
            return Err(Misuse::Count(count));
        }
        if count > self.pending {
            return Err(Misuse::TooMany { count, pending: self.pending });
        }
        if arrival.drops {
            object.expected = object.expected.saturating_sub(count);
        }
        object.pending -= count;
        let next = object.completed();
        if arrival.no_complete && next.phase != self.phase {
            return Err(Misuse::Completes);
        }
        Ok(next)
    }

    /// The object with more transactions to wait for.
    pub fn expect(self, transactions: i64) -> Result<Object, Misuse> {
        let sum = i64::from(self.transactions) + transactions;
        if sum.unsigned_abs() > u64::from(MAX_COUNT) {
            return Err(Misuse::Transactions(sum));
        }
        Ok(Object { transactions: sum as i32, ..self })
    }

    /// The object in its next phase, if nothing is left to wait for in this one.
    #[must_use]
    pub fn completed(self) -> Object {
        if self.pending != 0 || self.transactions != 0 {
            return self;
        }
        Object { pending: self.expected, phase: (self.phase + 1) % 8, ..self }
    }

    /// Whether the phase of a state is complete. Who asks must do so before the next one is complete, too.
    pub fn is_past(self, state: Object) -> Result<bool, Misuse> {
        match (self.phase + 8 - state.phase) % 8 {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Misuse::Stale),
        }
    }

    /// Whether the last phase of this parity is complete: the present one has the other.
    pub fn is_past_parity(self, parity: u32) -> bool {
        u32::from(self.phase) & 1 != parity & 1
    }
}

/// Which segments of a form say what; 99 is one that no opcode has.
#[derive(Clone, Copy)]
struct Parts {
    no_complete: usize,
    order: usize,
    scope: usize,
    space: usize,
}

const PARTS: Parts = Parts { no_complete: 99, order: 99, scope: 99, space: 99 };
const RELAXED: (Order, Reach) = (Order::Relaxed, Reach::Cta);

fn op(address: Address, action: Action, counted: bool, (order, scope): (Order, Reach)) -> Op {
    Op::Mbarrier(Mbarrier { address, action, counted, order, scope })
}

/// The order and the scope that an opcode names, or else the usual order for the block.
fn ordered(m: &Modifiers<'_>, parts: Parts, usual: Order) -> (Order, Reach) {
    if m.has(parts.order) {
        (order(m.text(parts.order)), scope(m.text(parts.scope)))
    } else {
        (usual, Reach::Cta)
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
    how: (Order, Reach),
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
    // How long the hardware may have it sleep: here nobody does, and the answer is that of the moment.
    if m.text(1) == "try_wait" && o.remaining() > 0 {
        let hint = o.take()?;
        o.args.c = o.source(hint, Kind::B32)?;
    }
    Ok(op(address, action, true, ordered(m, parts, Order::Acquire)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARRIVE: Arrival = Arrival { drops: false, no_complete: false, expects: false };

    fn object(expected: u32, pending: u32, transactions: i32, phase: u8) -> Object {
        Object { expected, pending, transactions, phase }
    }

    #[test]
    fn an_object_is_its_bits() {
        for transactions in [0, 1, -1, MAX_COUNT as i32, -(MAX_COUNT as i32)] {
            for object in [object(MAX_COUNT, 1, transactions, 7), object(1, MAX_COUNT, transactions, 0)] {
                assert_eq!(Object::from_bits(object.to_bits()), object);
            }
        }
    }

    #[test]
    fn the_last_arrival_completes_a_phase() {
        let check =
            |before: Object, arrival, number, after| assert_eq!(before.arrive(arrival, number), after);
        check(object(3, 3, 0, 0), ARRIVE, 1, Ok(object(3, 2, 0, 0)));
        check(object(3, 1, 0, 0), ARRIVE, 1, Ok(object(3, 3, 0, 1)));
        check(object(3, 2, 0, 7), ARRIVE, 2, Ok(object(3, 3, 0, 0)));
        check(object(3, 1, 4, 0), ARRIVE, 1, Ok(object(3, 0, 4, 0)));
        check(object(3, 1, 0, 0), ARRIVE, 2, Err(Misuse::TooMany { count: 2, pending: 1 }));
        check(object(3, 1, 0, 0), ARRIVE, 0, Err(Misuse::Count(0)));
        let drops = Arrival { drops: true, ..ARRIVE };
        check(object(3, 2, 0, 0), drops, 1, Ok(object(2, 1, 0, 0)));
        check(object(3, 1, 0, 0), drops, 1, Ok(object(2, 2, 0, 1)));
        let no_complete = Arrival { no_complete: true, ..ARRIVE };
        check(object(3, 2, 0, 0), no_complete, 1, Ok(object(3, 1, 0, 0)));
        check(object(3, 1, 0, 0), no_complete, 1, Err(Misuse::Completes));
        let expects = Arrival { expects: true, ..ARRIVE };
        check(object(3, 1, 0, 0), expects, 16, Ok(object(3, 0, 16, 0)));
        check(object(3, 1, 0, 0), expects, 1 << 20, Err(Misuse::Transactions(1 << 20)));
    }

    #[test]
    fn transactions_complete_a_phase_in_which_all_have_arrived() {
        let waiting = object(3, 0, 16, 2).expect(-8).unwrap().completed();
        assert_eq!(waiting, object(3, 0, 8, 2));
        assert_eq!(waiting.expect(-8).unwrap().completed(), object(3, 3, 0, 3));
    }

    #[test]
    fn a_state_is_of_the_present_phase_or_of_the_last_one() {
        let state = object(3, 1, 0, 7);
        assert_eq!(object(3, 2, 0, 7).is_past(state), Ok(false));
        assert_eq!(object(3, 3, 0, 0).is_past(state), Ok(true));
        assert_eq!(object(3, 3, 0, 1).is_past(state), Err(Misuse::Stale));
        assert!(object(3, 3, 0, 1).is_past_parity(0));
        assert!(!object(3, 3, 0, 1).is_past_parity(1));
    }
}
