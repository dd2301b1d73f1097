//! Barriers in memory, decoded: the operations, and what they do to an object.

use super::memory::Address;
use crate::order::{Order, Scope};

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
    /// Its scope: the threads for which it orders memory.
    pub scope: Scope,
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

/// How a thread arrives.
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
