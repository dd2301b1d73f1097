//! The memory consistency model of PTX: which executions it allows, and which of them have a data race.
//!
//! An execution is given by its events, by the write from which each read got its value, and by two orders that the
//! machine is free to choose: that of the `fence.sc` operations and that of the writes to each word. Every relation of
//! the specification is a function here, with its clause. Left out are proxies other than the generic one, barriers at
//! which some threads only arrive, vectors, and accesses that overlap in part. Specification: PTX ISA 8.5, sections 8.4
//! to 8.10.

use crate::event::Event;
use crate::relation::Relation;

/// Events, and the relations that do not depend on the choices of a run.
#[derive(Debug)]
pub struct Events {
    /// The first values of the words, then the events of the threads, each thread's in its order.
    pub all: Vec<Event>,
    /// Program order (8.9.1).
    pub program_order: Relation,
    /// Pairs of events on one word.
    pub same_location: Relation,
    /// Pairs that are morally strong (8.7).
    pub morally_strong: Relation,
    /// From each arrival at a barrier to each departure from it (8.9.4, 2): every thread arrives before any thread
    /// leaves.
    pub barriers: Relation,
}

impl Events {
    /// The relations among these events.
    pub fn new(all: Vec<Event>) -> Events {
        let count = all.len();
        let is_same_thread = |a: usize, b: usize| all[a].thread.is_some() && all[a].thread == all[b].thread;
        let program_order = Relation::from_fn(count, |a, b| a < b && is_same_thread(a, b));
        let is_same_location =
            |a: usize, b: usize| all[a].location.is_some() && all[a].location == all[b].location;
        let same_location = Relation::from_fn(count, is_same_location);
        // 8.7: two events of one thread, or both strong and each within the other's scope. If both access memory, they
        // must access the same word, since all accesses have one size.
        let morally_strong = Relation::from_fn(count, |a, b| {
            let (x, y) = (&all[a], &all[b]);
            let meet = x.location.is_none() || y.location.is_none() || x.location == y.location;
            let strong = x.is_strong() && y.is_strong() && x.reaches(y) && y.reaches(x);
            a != b && meet && (is_same_thread(a, b) || strong)
        });
        let in_barrier_order = |a: usize, b: usize| match (all[a].barrier, all[b].barrier) {
            (Some((one, false)), Some((other, true))) => one == other,
            _ => false,
        };
        let barriers = Relation::from_fn(count, in_barrier_order);
        Events { all, program_order, same_location, morally_strong, barriers }
    }

    /// The pairs of events of two kinds.
    fn pairs(&self, first: impl Fn(&Event) -> bool, second: impl Fn(&Event) -> bool) -> Relation {
        Relation::from_fn(self.all.len(), |a, b| first(&self.all[a]) && second(&self.all[b]))
    }

    /// Release patterns (8.8), from the first instruction of each to its write: a release operation alone, or
    /// followed by a strong write to its word, or a fence followed by a strong write.
    fn release_patterns(&self) -> Relation {
        let is_release = |event: &Event| event.is_release() && event.written.is_some();
        let alone = Relation::from_fn(self.all.len(), |a, b| a == b && is_release(&self.all[a]));
        let is_strong_write = |event: &Event| event.is_strong() && event.written.is_some();
        let operation = self.pairs(Event::is_release, is_strong_write).and(&self.same_location);
        let fence = self.pairs(|event| event.fence.is_some(), is_strong_write);
        alone.or(&operation.or(&fence).and(&self.program_order))
    }

    /// Acquire patterns (8.8), from the read of each to its last instruction: an acquire operation alone, or a strong
    /// read followed by an acquire operation on its word, or by a fence.
    fn acquire_patterns(&self) -> Relation {
        let is_acquire = |event: &Event| event.is_acquire() && event.read.is_some();
        let alone = Relation::from_fn(self.all.len(), |a, b| a == b && is_acquire(&self.all[a]));
        let is_strong_read = |event: &Event| event.is_strong() && event.read.is_some();
        let operation = self.pairs(is_strong_read, Event::is_acquire).and(&self.same_location);
        let fence = self.pairs(is_strong_read, |event| event.fence.is_some());
        alone.or(&operation.or(&fence).and(&self.program_order))
    }
}

/// What follows from the writes that the reads got their values from and from the order of the fences: everything
/// except the order of the writes.
#[derive(Debug)]
pub struct Causes {
    /// From each write to the reads that got its value.
    pub reads_from: Relation,
    /// Fence-SC order (8.9.3).
    pub fence_order: Relation,
    /// Base causality order (8.9.5).
    base: Relation,
    /// Causality order between accesses to one word (8.9.5). Except for the one about fences, no axiom needs more.
    pub causality: Relation,
}

impl Causes {
    /// The relations that follow from `reads_from` and `fence_order`.
    pub fn new(events: &Events, reads_from: Relation, fence_order: Relation) -> Causes {
        // 8.9.2: a morally strong read, and everything that follows from it through atomics.
        let observed = reads_from.and(&events.morally_strong);
        let of_atomic = events.pairs(|event| event.is_atomic, |_| true);
        let through_atomics = observed.and(&of_atomic).closure();
        let observation = observed.or(&observed.then(&through_atomics));
        // 8.9.4, 4: the write of a release pattern is observed by the read of an acquire pattern, and the first
        // operation of the one and the last of the other are morally strong.
        let patterns = events.release_patterns().then(&observation).then(&events.acquire_patterns());
        // The start of a kernel synchronises with all its threads (8.9.4), so the first values precede everything.
        let start = events.pairs(|event| event.thread.is_none(), |event| event.thread.is_some());
        // 8.9.4, 1: `fence.sc` operations synchronise in their order.
        let synchronizes =
            patterns.and(&events.morally_strong).or(&fence_order).or(&start).or(&events.barriers);
        let base = events.program_order.or(&synchronizes).closure();
        // 8.9.5: base causality between accesses to one word, or an observation and then base causality.
        let same_word = base.and(&events.same_location);
        let causality = same_word.or(&observation.then(&same_word));
        Causes { reads_from, fence_order, base, causality }
    }

    /// Axiom 8.10.2: Fence-SC order does not contradict causality order.
    pub fn fences_agree(&self, events: &Events) -> bool {
        let fences = events.pairs(Event::is_fence_sc, Event::is_fence_sc).and(&events.morally_strong);
        self.base.and(&fences).minus(&self.fence_order).is_empty()
    }

    /// Whether two accesses race (8.7.1): they conflict, are not ordered, and are not morally strong.
    pub fn has_race(&self, events: &Events) -> bool {
        let all = &events.all;
        let conflict = |a: usize, b: usize| {
            let writes = all[a].written.is_some() || all[b].written.is_some();
            let threads =
                all[a].thread.is_some() && all[b].thread.is_some() && all[a].thread != all[b].thread;
            threads && writes && events.same_location.has(a, b)
        };
        let ordered = self.causality.or(&self.causality.inverse()).or(&events.morally_strong);
        !Relation::from_fn(all.len(), conflict).minus(&ordered).is_empty()
    }

    /// Whether an order of the writes to each word makes this an execution that the model allows. `coherence` is
    /// transitive, and contains the causality order between writes (axiom 8.10.1, Coherence).
    pub fn allow(&self, events: &Events, coherence: &Relation) -> bool {
        let reads_before = reads_before(&self.reads_from, coherence);
        let communication = self.reads_from.or(coherence).or(&reads_before);
        coherence.is_irreflexive()
            && is_atomic(events, coherence, &reads_before)
            && is_sequential_per_location(events, &communication)
            && self.is_causal(&reads_before)
    }

    /// Axiom 8.10.6: a read that precedes a write in causality order does not read from it, and a read that follows it
    /// does not read from an older one.
    fn is_causal(&self, reads_before: &Relation) -> bool {
        let backwards = self.causality.inverse();
        self.reads_from.and(&backwards).is_empty() && reads_before.and(&backwards).is_empty()
    }
}

/// Communication order from a read to the writes that come after the write that it read from (8.9.7, 3).
pub fn reads_before(reads_from: &Relation, coherence: &Relation) -> Relation {
    let itself = Relation::from_fn(crate::relation::MAX_EVENTS, |a, b| a == b);
    reads_from.inverse().then(coherence).minus(&itself)
}

/// Axiom 8.10.3: no morally strong write of another thread comes between what an atomic reads and what it writes.
/// Single-copy atomicity holds by itself, since every access is to a whole word.
fn is_atomic(events: &Events, coherence: &Relation, reads_before: &Relation) -> bool {
    let of_atomic = events.pairs(|event| event.is_atomic, |_| true);
    let overtaken = reads_before.and(&coherence.inverse()).and(&of_atomic);
    overtaken.and(&events.morally_strong).is_empty()
}

/// Axiom 8.10.5: program order between accesses to one word and morally strong communication have no cycle.
fn is_sequential_per_location(events: &Events, communication: &Relation) -> bool {
    let program_order = events.program_order.and(&events.same_location);
    program_order.or(&communication.and(&events.morally_strong)).is_acyclic()
}
