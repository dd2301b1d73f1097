//! Enumerates all executions of a program: which outcomes the model allows, which of them the emulator claims, and
//! whether there are races.
//!
//! The paths of the threads (`event.rs`) are combined, every read is paired with a write of its value, and all
//! possibilities are tried for the two free orders: that of the `fence.sc` operations and that of the writes.
//! `axioms.rs` decides which of the results are executions. There are no optimisations, because a program has only a
//! few events. Specification: PTX ISA, sections 8.9 and 8.10.

use std::collections::BTreeSet;

use crate::axioms::{Causes, Events, reads_before};
use crate::event::{Event, Way, ways};
use crate::program::{Outcome, Program};
use crate::relation::Relation;

/// Some of a program's executions: their outcomes, and whether one of them has a data race.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executions {
    /// Their outcomes.
    pub outcomes: BTreeSet<Outcome>,
    /// Whether two accesses race in one of them.
    pub has_race: bool,
}

/// The model's verdict on a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// All executions that the model allows.
    pub allowed: Executions,
    /// The executions of a machine that carries out one operation after another, delays stores and relaxed updates, and
    /// lets loads return older stores. There must be an order of all events that contains program order as far as it is
    /// kept ([`kept_order`]), the order of the fences, and coherence order, which is a total order of the writes to
    /// each word; and in which every read comes after the write that it reads from.
    ///
    /// The model allows more than that. Each of the following is not claimed for a reason:
    /// - *A load that takes place after something that follows it in program order* (load buffering by loads): the
    ///   emulator gives a load its value when it is issued, because otherwise every instruction that reads the register
    ///   would have to know that it has no value yet.
    /// - *An update that is carried out late although its result was read, or although it acquires*: such an update is
    ///   not delayed any further, because what follows may depend on it.
    /// - *Weak writes to one word that race, and that the model does not order.* A machine has one memory, in which one
    ///   of them is the last for every thread.
    pub claimed: Executions,
    /// The interleavings: executions in which every read gets the latest value.
    pub interleaved: Executions,
}

/// Judges a program.
pub fn judge(program: &Program) -> Verdict {
    let ways = ways(program);
    let mut verdict = Verdict::default();
    for_each_choice(&ways, &mut Vec::new(), &mut |chosen| judge_ways(program, chosen, &mut verdict));
    verdict
}

/// Calls `visit` with every selection of one item from each list.
fn for_each_choice<'t, T>(lists: &'t [Vec<T>], chosen: &mut Vec<&'t T>, visit: &mut impl FnMut(&[&'t T])) {
    let Some((first, rest)) = lists.split_first() else {
        return visit(chosen);
    };
    for item in first {
        chosen.push(item);
        for_each_choice(rest, chosen, visit);
        chosen.pop();
    }
}

fn judge_ways(program: &Program, ways: &[&Way], verdict: &mut Verdict) {
    let words = program.locations();
    let firsts = (0..words).map(Event::first_value);
    let all: Vec<Event> = firsts.chain(ways.iter().flat_map(|way| way.events.iter().copied())).collect();
    let sources: Vec<Vec<(usize, usize)>> = reads(&all).map(|read| sources(&all, read)).collect();
    if sources.iter().any(Vec::is_empty) {
        return;
    }
    let registers: Vec<u32> = ways.iter().flat_map(|way| way.registers.iter().copied()).collect();
    let events = Events::new(all);
    for_each_choice(&sources, &mut Vec::new(), &mut |chosen| {
        let mut reads_from = Relation::default();
        for &&(write, read) in chosen {
            reads_from.add(write, read);
        }
        if is_out_of_thin_air(&events, words, &reads_from) {
            return;
        }
        for fence_order in fence_orders(&events) {
            let causes = Causes::new(&events, reads_from, fence_order);
            if causes.fences_agree(&events) {
                judge_writes(&events, &causes, &registers, verdict);
            }
        }
    });
}

fn reads(all: &[Event]) -> impl Iterator<Item = usize> + '_ {
    (0..all.len()).filter(|&event| all[event].read.is_some())
}

/// The writes from which a read may have got its value, each paired with the read.
fn sources(all: &[Event], read: usize) -> Vec<(usize, usize)> {
    let fits = |&write: &usize| {
        let (write_event, read_event) = (&all[write], &all[read]);
        write != read && write_event.location == read_event.location && write_event.written == read_event.read
    };
    (0..all.len()).filter(fits).map(|write| (write, read)).collect()
}

/// Whether a value causes itself, which axiom 8.10.4 forbids. From read to read, each one decides the next: whether it
/// took place, or which value it read.
fn is_out_of_thin_air(events: &Events, words: usize, reads_from: &Relation) -> bool {
    let all = &events.all;
    let start = |event: usize| all.iter().position(|other| other.thread == all[event].thread).unwrap_or(0);
    let decides = |a: usize, b: usize| {
        a >= words && all[a].thread == all[b].thread && all[b].depends_on >> (a - start(a)) & 1 == 1
    };
    let decided = Relation::from_fn(all.len(), decides);
    let itself = Relation::from_fn(all.len(), |a, b| a == b && all[a].depends_on_itself);
    let through_memory = decided.or(&itself).then(reads_from);
    !decided.or(&through_memory).is_acyclic()
}

/// The possible orders of the `fence.sc` operations (8.9.3): acyclic, with every morally strong pair in one direction
/// or the other.
fn fence_orders(events: &Events) -> Vec<Relation> {
    let fences: Vec<usize> = (0..events.all.len()).filter(|&event| events.all[event].is_fence_sc()).collect();
    let known = Relation::default();
    orders(&fences, &|a, b| events.morally_strong.has(a, b), &events.program_order, known)
}

/// The acyclic relations that contain `known`, and that order every pair of `events` for which `wants` returns true. If
/// `forced` orders a pair, they order it in the same way.
fn orders(
    events: &[usize],
    wants: &dyn Fn(usize, usize) -> bool,
    forced: &Relation,
    known: Relation,
) -> Vec<Relation> {
    let mut found = vec![known];
    for (index, &a) in events.iter().enumerate() {
        for &b in &events[index + 1..] {
            if !wants(a, b) && !forced.has(a, b) && !forced.has(b, a) {
                continue;
            }
            let ways: Vec<(usize, usize)> = match (forced.has(a, b), forced.has(b, a)) {
                (true, true) => vec![],
                (true, false) => vec![(a, b)],
                (false, true) => vec![(b, a)],
                (false, false) => vec![(a, b), (b, a)],
            };
            let extended = found.iter().flat_map(|order| ways.iter().map(move |way| (*order, way)));
            found = extended.filter_map(|(order, &(a, b))| with(order, a, b)).collect();
        }
    }
    found.into_iter().map(|order| order.closure()).collect()
}

/// A relation with one more pair, unless that makes a cycle.
fn with(mut order: Relation, a: usize, b: usize) -> Option<Relation> {
    order.add(a, b);
    order.is_acyclic().then_some(order)
}

/// Tries all orders of the writes.
fn judge_writes(events: &Events, causes: &Causes, registers: &[u32], verdict: &mut Verdict) {
    let has_race = causes.has_race(events);
    for coherence in coherence_orders(events, causes, |a, b| events.morally_strong.has(a, b)) {
        if causes.allow(events, &coherence) {
            verdict.allowed.record(events, &coherence, registers, has_race);
        }
    }
    for coherence in coherence_orders(events, causes, |_, _| true) {
        if causes.allow(events, &coherence) && is_claimed(events, causes, &coherence) {
            verdict.claimed.record(events, &coherence, registers, has_race);
            if is_interleaving(events, causes, &coherence) {
                verdict.interleaved.record(events, &coherence, registers, has_race);
            }
        }
    }
}

/// The coherence orders (8.9.6): writes to one word that are in causality order are ordered accordingly (axiom 8.10.1),
/// and the pairs for which `wants` returns true are ordered in one direction or the other.
fn coherence_orders(events: &Events, causes: &Causes, wants: impl Fn(usize, usize) -> bool) -> Vec<Relation> {
    let writes: Vec<usize> =
        (0..events.all.len()).filter(|&event| events.all[event].written.is_some()).collect();
    if writes.iter().any(|&write| causes.causality.has(write, write)) {
        return Vec::new();
    }
    let wants = |a, b| events.same_location.has(a, b) && wants(a, b);
    orders(&writes, &wants, &causes.causality, Relation::default())
}

/// Whether the emulator claims the execution: see [`Verdict::claimed`].
fn is_claimed(events: &Events, causes: &Causes, coherence: &Relation) -> bool {
    let order = kept_order(events).or(&causes.reads_from).or(&causes.fence_order).or(coherence);
    order.or(&events.barriers).is_acyclic()
}

/// The pairs in program order that are carried out in that order. These are all pairs whose first operation is not
/// delayed, and all pairs with something between them or at their end that ends the delay: a fence, a release, a
/// barrier, an access to the same word, or a use of the result.
fn kept_order(events: &Events) -> Relation {
    let all = &events.all;
    let first = |thread: Option<usize>| all.iter().position(|event| event.thread == thread).unwrap_or(0);
    let settles = |a: usize, c: usize| {
        let is_looked_at = all[a].read.is_some() && all[c].looked_at >> (a - first(all[a].thread)) & 1 == 1;
        let same = events.same_location.has(a, c);
        let is_barrier = all[c].barrier.is_some();
        all[c].fence.is_some() || all[c].is_release() || is_barrier || same || is_looked_at
    };
    let in_order = |a: usize, b: usize| events.program_order.has(a, b);
    let is_kept = |a: usize, b: usize| {
        in_order(a, b) && (!all[a].may_wait() || (a + 1..=b).any(|c| in_order(a, c) && settles(a, c)))
    };
    Relation::from_fn(all.len(), is_kept)
}

/// Whether every read gets the latest value in some order of all events.
fn is_interleaving(events: &Events, causes: &Causes, coherence: &Relation) -> bool {
    let order = events.program_order.or(&causes.reads_from).or(&causes.fence_order).or(coherence);
    order.or(&events.barriers).or(&reads_before(&causes.reads_from, coherence)).is_acyclic()
}

impl Executions {
    /// Adds an execution. The final value of a word is that of a write with no successor. If writes race there may be
    /// several such writes, and the host may find any of their values.
    fn record(&mut self, events: &Events, coherence: &Relation, registers: &[u32], has_race: bool) {
        self.has_race |= has_race;
        let words = events.all.iter().filter(|event| event.thread.is_none()).count();
        let lasts: Vec<Vec<u32>> = (0..words).map(|word| last_values(events, coherence, word)).collect();
        for_each_choice(&lasts, &mut Vec::new(), &mut |memory| {
            let memory = memory.iter().map(|&&value| value);
            self.outcomes.insert(registers.iter().copied().chain(memory).collect());
        });
    }
}

fn last_values(events: &Events, coherence: &Relation, word: usize) -> Vec<u32> {
    let all = &events.all;
    let writes =
        (0..all.len()).filter(|&event| all[event].location == Some(word) && all[event].written.is_some());
    let last = writes.filter(|&write| !(0..all.len()).any(|other| coherence.has(write, other)));
    last.filter_map(|write| all[write].written).collect()
}
