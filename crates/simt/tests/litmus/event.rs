//! What a thread does on one path through its code: events, with the values that they read and write.
//!
//! A load may return any value that some thread could have stored, so a thread has a path for every combination of such
//! guesses; `enumerate.rs` combines the paths of the threads and keeps those with correct guesses. Everything that
//! `program.rs` can express is supported. Specification: PTX ISA, sections 8.2.6 (initial values) and 8.4 (kinds of
//! operations).

use std::collections::BTreeSet;

use crate::program::{
    Action, FenceKind, Location, Op, Order, Place, Program, Scope, Strength, Thread, UNSET, Value,
};

/// An operation that was carried out, or the write of a word's first value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The number of the thread; `None` for the first value of a word.
    pub thread: Option<usize>,
    /// The place of the thread.
    pub place: Place,
    /// The word; `None` for a fence.
    pub location: Option<Location>,
    /// The value read.
    pub read: Option<u32>,
    /// The value written: an atomic that fails writes none (8.4).
    pub written: Option<u32>,
    /// Its order; for a fence, its scope.
    pub how: Strength,
    /// The kind of fence, if it is one.
    pub fence: Option<FenceKind>,
    /// For a barrier, its number, and whether the thread leaves it or arrives at it.
    pub barrier: Option<(usize, bool)>,
    /// Whether it is an atomic operation (8.4).
    pub is_atomic: bool,
    /// The reads of its thread, by their index, that decided whether it took place or what it writes.
    pub depends_on: u64,
    /// Whether the value that it writes depends on the value that it reads.
    pub depends_on_itself: bool,
    /// The reads of its thread, by their index, whose values the thread had used before, even if without effect.
    pub looked_at: u64,
}

impl Event {
    /// The write of a word's first value (8.2.6).
    pub fn first_value(location: Location) -> Event {
        let nowhere = Place { block: u32::MAX, warp: 0, lane: 0 };
        let how = Strength { order: Order::Weak, scope: Scope::Sys };
        Event { thread: None, location: Some(location), written: Some(0), ..Event::new(nowhere, how) }
    }

    fn new(place: Place, how: Strength) -> Event {
        Event {
            thread: None,
            place,
            location: None,
            read: None,
            written: None,
            how,
            fence: None,
            barrier: None,
            is_atomic: false,
            depends_on: 0,
            depends_on_itself: false,
            looked_at: 0,
        }
    }

    /// A strong operation: a fence, or an access that is not weak. Clause 8.4.
    pub fn is_strong(&self) -> bool {
        self.fence.is_some() || self.how.order != Order::Weak
    }

    /// Whether it is a `fence.sc`, by either of its names. Clause 9.7.13.4.
    pub fn is_fence_sc(&self) -> bool {
        matches!(self.fence, Some(FenceKind::Sc | FenceKind::Membar))
    }

    /// A release operation. Clause 8.4.
    pub fn is_release(&self) -> bool {
        self.fence.is_none() && matches!(self.how.order, Order::Release | Order::AcqRel)
    }

    /// An acquire operation. Clause 8.4.
    pub fn is_acquire(&self) -> bool {
        self.fence.is_none() && matches!(self.how.order, Order::Acquire | Order::AcqRel)
    }

    /// Whether the emulator may carry it out later than its thread executes it, which is possible for a store or an
    /// update without an order.
    pub fn may_wait(&self) -> bool {
        let is_ordered = self.is_release() || self.is_acquire();
        let writes = self.written.is_some() || self.is_atomic;
        self.fence.is_none() && writes && !is_ordered
    }

    /// Whether the scope of this operation contains the thread of the other. Clause 8.5.
    pub fn reaches(&self, other: &Event) -> bool {
        self.how.scope != Scope::Cta || self.place.block == other.place.block
    }
}

/// A path through a thread's code.
#[derive(Clone, Debug)]
pub struct Way {
    /// The events on the path.
    pub events: Vec<Event>,
    /// The registers at its end.
    pub registers: Vec<u32>,
    /// For every register, the reads on which its value depends.
    sources: Vec<u64>,
    /// The reads whose values were used or overwritten.
    looked_at: u64,
}

/// The values that each word may ever have.
type Values = Vec<BTreeSet<u32>>;

/// All paths through each thread.
pub fn ways(program: &Program) -> Vec<Vec<Way>> {
    let mut values: Values = vec![BTreeSet::from([0]); program.locations()];
    let largest = largest_value(program);
    loop {
        let ways: Vec<Vec<Way>> = number(program).map(|(at, thread)| walk(at, thread, &values)).collect();
        let mut is_complete = true;
        for event in ways.iter().flatten().flat_map(|way| &way.events) {
            if let (Some(location), Some(written)) = (event.location, event.written) {
                is_complete &= written > largest || !values[location].insert(written);
            }
        }
        if is_complete {
            return ways;
        }
    }
}

/// A value that no word exceeds: the largest constant plus everything that is ever added, each once, because there are
/// no loops. Without this bound, guesses would lead to ever larger guesses.
fn largest_value(program: &Program) -> u32 {
    let ops = || program.threads.iter().flat_map(|thread| &thread.ops);
    let constant = ops().map(|op| match op.action {
        Action::Store { value: Value::Is(value), .. }
        | Action::Exchange { value, .. }
        | Action::Cas { value, .. } => value,
        _ => 0,
    });
    let added = ops().map(|op| match op.action {
        Action::Store { value: Value::Plus(_, plus), .. } | Action::Add { value: plus, .. } => plus,
        _ => 0,
    });
    constant.max().unwrap_or(0) + added.sum::<u32>()
}

fn number(program: &Program) -> impl Iterator<Item = (usize, &Thread)> {
    program.threads.iter().enumerate()
}

fn walk(number: usize, thread: &Thread, values: &Values) -> Vec<Way> {
    let registers = thread.registers();
    let start = Way {
        events: Vec::new(),
        registers: vec![UNSET; registers],
        sources: vec![0; registers],
        looked_at: 0,
    };
    thread.ops.iter().fold(vec![start], |ways, op| {
        ways.iter().flat_map(|way| step(way, op, Event::of(number, thread.place), values)).collect()
    })
}

impl Event {
    fn of(thread: usize, place: Place) -> Event {
        let how = Strength { order: Order::Weak, scope: Scope::Sys };
        Event { thread: Some(thread), ..Event::new(place, how) }
    }
}

/// The paths that continue this one when its thread executes `op`.
fn step(way: &Way, op: &Op, blank: Event, values: &Values) -> Vec<Way> {
    let mut depends_on = 0;
    let way = &way.looking_at(op);
    if let Some((register, value)) = op.guard {
        if way.registers[register] != value {
            // The next operations depend on this guard only if they have it too.
            return vec![way.clone()];
        }
        depends_on = way.sources[register];
    }
    let event = Event { depends_on, location: op.action.location(), looked_at: way.looked_at, ..blank };
    match op.action {
        Action::Fence { kind, scope } => {
            let how = Strength { order: Order::AcqRel, scope };
            vec![way.with(Event { fence: Some(kind), how, ..event }, None)]
        }
        Action::Barrier { number, .. } => {
            let arrived = way.with(Event { barrier: Some((number, false)), ..event }, None);
            vec![arrived.with(Event { barrier: Some((number, true)), ..event }, None)]
        }
        Action::Store { value: Value::Is(value), how, .. } => {
            vec![way.with(Event { written: Some(value), how, ..event }, None)]
        }
        Action::Store { value: Value::Plus(register, plus), how, .. } => {
            let written = Some(way.registers[register] + plus);
            let depends_on = depends_on | way.sources[register];
            vec![way.with(Event { written, how, depends_on, ..event }, None)]
        }
        action => {
            let (to, location) = (action.result(), action.location().expect("a read has a location"));
            let read = |&old: &u32| way.with(read(action, event, old), to);
            values[location].iter().map(read).collect()
        }
    }
}

/// A load or an atomic that found the value `old`.
fn read(action: Action, event: Event, old: u32) -> Event {
    let event = Event { read: Some(old), ..event };
    let atomic =
        |how, written, depends_on_itself| Event { how, written, depends_on_itself, is_atomic: true, ..event };
    match action {
        Action::Load { how, .. } => Event { how, ..event },
        Action::Exchange { value, how, .. } => atomic(how, Some(value), false),
        Action::Add { value, how, .. } => atomic(how, Some(old + value), true),
        Action::Cas { expected, value, how, .. } => atomic(how, (old == expected).then_some(value), true),
        Action::Store { .. } | Action::Fence { .. } | Action::Barrier { .. } => unreachable!("not a read"),
    }
}

impl Way {
    /// This path when its thread reaches `op` and reads the registers that `op` names.
    fn looking_at(&self, op: &Op) -> Way {
        let stored = match op.action {
            Action::Store { value: Value::Plus(register, _), .. } => Some(register),
            action => action.result(),
        };
        let named = op.guard.map(|(register, _)| register).into_iter().chain(stored);
        let looked_at = named.fold(self.looked_at, |reads, register| reads | self.sources[register]);
        Way { looked_at, ..self.clone() }
    }

    /// This path with one more event, whose value is written to a register.
    fn with(&self, event: Event, to: Option<usize>) -> Way {
        let mut way = self.clone();
        if let (Some(to), Some(value)) = (to, event.read) {
            way.registers[to] = value;
            way.sources[to] = 1 << self.events.len();
        }
        way.events.push(event);
        way
    }
}
