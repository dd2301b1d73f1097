//! Decoded mbarrier operations, and what they do to an object.

use super::memory::Address;
use crate::order::{Order, Scope};

/// An operation on an object. Its address is `args.a`; its count, or the phase that it waits for, is `args.b`, as wide
/// as the action requires; its result, a state or a predicate, is `args.d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mbarrier {
    /// Where the object is.
    pub address: Address,
    /// What it does.
    pub action: Action,
    /// Whether it names a count, which is 1 otherwise.
    pub counted: bool,
    /// Its memory order.
    pub order: Order,
    /// Its scope: the threads for which it orders memory.
    pub scope: Scope,
}

impl Mbarrier {
    /// The first target that has it with these operands, which a form cannot say.
    pub fn min_sm(&self) -> u32 {
        match self.action {
            Action::Arrive(Arrival { no_complete: false, .. }) if self.counted => 90,
            _ => 80,
        }
    }

    /// Whether it only tests a phase.
    pub fn asks(&self) -> bool {
        matches!(self.action, Action::Wait | Action::WaitParity)
    }
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Creates an object that expects a number of arrivals in each phase.
    Init,
    /// Ends an object, so that its bytes can be used for something else.
    Invalidate,
    /// Arrives a number of times, and returns the state before that.
    Arrive(Arrival),
    /// Adds to the transactions that the phase expects before it can complete.
    Expect,
    /// Completes transactions. Hardware does this when it copies; here a thread does it.
    Complete,
    /// Tests whether the phase of a state is complete.
    Wait,
    /// Tests whether the phase of a parity is complete.
    WaitParity,
}

/// How a thread arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Whether the thread drops out: later phases expect fewer arrivals.
    pub drops: bool,
    /// Whether it promises that the arrival does not complete the phase.
    pub no_complete: bool,
    /// Whether its number is a number of transactions to expect, and it arrives once.
    pub expects: bool,
}

/// The largest count of an object.
pub const MAX_COUNT: u32 = (1 << 20) - 1;

/// An object, or a state.
///
/// Its 64 bits: the number of arrivals that a phase expects in bits 0 to 19, the number that the current phase still
/// waits for in bits 20 to 39, transactions as a signed number in bits 40 to 60, and the phase modulo 8 in bits 61 to
/// 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// How many arrivals each phase expects, beginning with the next one.
    pub expected: u32,
    /// How many arrivals the current phase still waits for.
    pub pending: u32,
    /// How many transactions it still waits for.
    pub transactions: i32,
    /// The current phase, modulo 8.
    pub phase: u8,
}

/// Misuse of an object. The specification leaves undefined what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// There is no object at this address.
    NoObject,
    /// There is already an object.
    IsThere,
    /// An object cannot have this count.
    Count(u32),
    /// More arrivals than the phase waits for.
    TooMany {
        /// How many times the thread arrives.
        count: u32,
        /// How many arrivals the phase still waits for.
        pending: u32,
    },
    /// An arrival that promised not to complete the phase does complete it.
    Completes,
    /// More transactions than an object can count.
    Transactions(i64),
    /// The state is of a phase before the last one.
    Stale,
    /// A load, a store or an atomic accesses its bytes.
    Plain,
    /// The address is not in shared memory.
    NotShared,
    /// It is not in the block to which a copy writes.
    OtherBlock,
}

impl Object {
    /// An object in its first phase.
    pub fn new(count: u32) -> Result<Object, Misuse> {
        if !(1..=MAX_COUNT).contains(&count) {
            return Err(Misuse::Count(count));
        }
        Ok(Object { expected: count, pending: count, transactions: 0, phase: 0 })
    }

    /// The object with these bits.
    pub fn from_bits(bits: u64) -> Object {
        Object {
            expected: bits as u32 & MAX_COUNT,
            pending: (bits >> 20) as u32 & MAX_COUNT,
            transactions: (bits << 3 >> 32) as i32 >> 11,
            phase: (bits >> 61) as u8,
        }
    }

    /// The object's bits.
    pub fn to_bits(self) -> u64 {
        let transactions = self.transactions as u64 & ((1 << 21) - 1);
        u64::from(self.expected)
            | u64::from(self.pending) << 20
            | transactions << 40
            | u64::from(self.phase) << 61
    }

    /// The object after `number` arrivals, or after one arrival that expects `number` transactions.
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

    /// The object in its next phase, if the current phase does not wait for anything any more.
    #[must_use]
    pub fn completed(self) -> Object {
        if self.pending != 0 || self.transactions != 0 {
            return self;
        }
        Object { pending: self.expected, phase: (self.phase + 1) % 8, ..self }
    }

    /// Whether the phase of a state is complete. A thread has to ask before the next phase is complete, too.
    pub fn is_past(self, state: Object) -> Result<bool, Misuse> {
        match (self.phase + 8 - state.phase) % 8 {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Misuse::Stale),
        }
    }

    /// Whether the last phase of this parity is complete, which it is if the current phase has the other parity.
    pub fn is_past_parity(self, parity: u32) -> bool {
        u32::from(self.phase) & 1 != parity & 1
    }
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
