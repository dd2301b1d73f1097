//! Checks the enumerator against verdicts that are generally accepted.
//!
//! These are the only verdicts of the litmus tests that are written by hand. They are the examples of the specification
//! and of the papers about it, each with a twin that lacks the decisive part. The shapes themselves have hundreds of
//! variants and are left out. Specification: PTX ISA, section 8.10 and its litmus tests.

use crate::enumerate::{Verdict, judge};
use crate::interleave::interleavings;
use crate::program::{Action, FenceKind, Op, Place, Program, Scope, Space, Strength, Thread};
use crate::program::{VOLATILE, WEAK, acquire, relaxed, release};
use crate::sides::{cas, exchange, fence, guarded, load, store};

use FenceKind::{AcqRel, Membar, Sc};
use Scope::{Cta, Gpu, Sys};

const X: usize = 0;
const Y: usize = 1;

/// The verdict on these threads, each in a block of its own.
fn verdict(threads: &[&[Op]]) -> Verdict {
    let place = |number| Place { block: number as u32, warp: 0, lane: 0 };
    let threads = threads.iter().enumerate();
    let threads = threads.map(|(number, ops)| Thread { place: place(number), ops: ops.to_vec() }).collect();
    judge(&Program { threads, space: Space::Global })
}

/// Whether the threads may end with these registers, with any memory.
fn may_end(threads: &[&[Op]], registers: &[u32]) -> bool {
    verdict(threads).allowed.outcomes.iter().any(|outcome| outcome.starts_with(registers))
}

fn races(threads: &[&[Op]]) -> bool {
    verdict(threads).allowed.has_race
}

#[test]
fn messages_are_passed_by_patterns_with_sufficient_scopes() {
    let is_stale = |writer: &[Op], reader: &[Op]| {
        let writer = [&[store(X, 1, WEAK)], writer].concat();
        let reader = [reader, &[guarded(0, 1, load(1, X, WEAK))]].concat();
        let stale = may_end(&[&writer, &reader], &[1, 0]);
        assert_eq!(stale, races(&[&writer, &reader]));
        stale
    };
    let flag = store(Y, 1, relaxed(Gpu));
    let read = load(0, Y, relaxed(Gpu));
    assert!(is_stale(&[flag], &[read]));
    assert!(is_stale(&[fence(AcqRel, Gpu), flag], &[read]));
    assert!(is_stale(&[flag], &[read, fence(AcqRel, Gpu)]));
    assert!(!is_stale(&[fence(AcqRel, Gpu), flag], &[read, fence(AcqRel, Gpu)]));
    assert!(is_stale(&[fence(AcqRel, Cta), flag], &[read, fence(AcqRel, Gpu)]));
    assert!(!is_stale(&[store(Y, 1, release(Gpu))], &[load(0, Y, acquire(Sys))]));
    assert!(is_stale(&[store(Y, 1, release(Cta))], &[load(0, Y, acquire(Gpu))]));
    // 8.8: a fence makes a pattern only with a strong access, and 8.7: only with one whose scope is large enough.
    assert!(is_stale(&[fence(AcqRel, Gpu), store(Y, 1, WEAK)], &[read, fence(AcqRel, Gpu)]));
    assert!(is_stale(&[fence(AcqRel, Gpu), store(Y, 1, relaxed(Cta))], &[read, fence(AcqRel, Gpu)]));
    // 8.4.2: volatile is relaxed at the system's scope.
    let volatile = [load(0, Y, VOLATILE), fence(Membar, Gpu)];
    assert!(!is_stale(&[fence(Membar, Gpu), store(Y, 1, VOLATILE)], &volatile));
}

#[test]
fn only_fence_sc_prevents_store_buffering() {
    let both_miss = |between: Option<(FenceKind, Scope)>, how: Strength| {
        let between: Vec<Op> = between.map(|(kind, scope)| fence(kind, scope)).into_iter().collect();
        let side = |mine, other| [&[store(mine, 1, how)], &between[..], &[load(0, other, how)]].concat();
        may_end(&[&side(X, Y), &side(Y, X)], &[0, 0])
    };
    assert!(both_miss(None, relaxed(Gpu)));
    assert!(both_miss(Some((AcqRel, Gpu)), relaxed(Gpu)));
    assert!(!both_miss(Some((Sc, Gpu)), relaxed(Gpu)));
    assert!(!both_miss(Some((Membar, Gpu)), VOLATILE));
    assert!(both_miss(Some((Sc, Cta)), relaxed(Gpu)));
    // Fences have the same effect for weak accesses as for strong ones, but the weak ones race.
    assert!(!both_miss(Some((Sc, Gpu)), WEAK));
}

#[test]
fn loads_may_be_late() {
    let side = |mine, other, read, write| [load(0, mine, read), store(other, 1, write)];
    let both_see = |read: Strength, write: Strength| {
        may_end(&[&side(X, Y, read, write), &side(Y, X, read, write)], &[1, 1])
    };
    assert!(both_see(relaxed(Gpu), relaxed(Gpu)));
    assert!(!both_see(acquire(Gpu), release(Gpu)));
    // 8.10.4: this is forbidden if the stores depend on the loads.
    let side = |mine, other| [load(0, mine, relaxed(Gpu)), guarded(0, 1, store(other, 1, relaxed(Gpu)))];
    assert!(!may_end(&[&side(X, Y), &side(Y, X)], &[1, 1]));
}

#[test]
fn strong_reads_of_one_word_never_go_back_to_an_older_value() {
    let back = |how| may_end(&[&[store(X, 1, how)], &[load(0, X, how), load(1, X, how)]], &[1, 0]);
    assert!(!back(relaxed(Gpu)));
    assert!(back(WEAK));
    assert!(back(relaxed(Cta)));
}

#[test]
fn independent_writes_are_in_one_order_only_with_fence_sc() {
    let disagree = |how: Strength, between: Option<FenceKind>| {
        let between: Vec<Op> = between.map(|kind| fence(kind, Gpu)).into_iter().collect();
        let reader = |a, b| [&[load(0, a, how)], &between[..], &[load(1, b, how)]].concat();
        let write = |at| [store(at, 1, relaxed(Gpu))];
        may_end(&[&write(X), &write(Y), &reader(X, Y), &reader(Y, X)], &[1, 0, 1, 0])
    };
    assert!(disagree(relaxed(Gpu), None));
    assert!(disagree(acquire(Gpu), None));
    assert!(disagree(relaxed(Gpu), Some(AcqRel)));
    assert!(!disagree(relaxed(Gpu), Some(Sc)));
}

#[test]
fn atomics_are_atomic_within_their_scopes() {
    let lost = |a, b| {
        let add = |scope| [Action::Add { to: 0, at: X, value: 1, how: relaxed(scope) }.into()];
        verdict(&[&add(a), &add(b)]).allowed.outcomes.iter().any(|outcome| outcome[2] == 1)
    };
    assert!(!lost(Gpu, Sys));
    assert!(lost(Cta, Gpu));
}

#[test]
fn atomics_continue_a_release() {
    let writer = [store(X, 1, WEAK), store(Y, 1, release(Gpu))];
    let reader = [load(0, Y, acquire(Gpu)), guarded(0, 2, load(1, X, WEAK))];
    let stale = |middle: &[Op]| may_end(&[&writer, middle, &reader], &[1, 2, 0]);
    assert!(!stale(&[cas(0, Y, [1, 2], relaxed(Gpu))]));
    assert!(stale(&[cas(0, Y, [1, 2], relaxed(Cta))]));
    assert!(stale(&[load(0, Y, relaxed(Gpu)), guarded(0, 1, store(Y, 2, relaxed(Gpu)))]));
    assert!(!stale(&[load(0, Y, acquire(Gpu)), guarded(0, 1, store(Y, 2, release(Gpu)))]));
}

#[test]
fn the_claim_is_between_interleavings_and_the_model() {
    let how = relaxed(Gpu);
    let buffering = verdict(&[&[store(X, 1, how), load(0, Y, how)], &[store(Y, 1, how), load(0, X, how)]]);
    assert_eq!(buffering.interleaved.outcomes.len(), 3);
    assert_eq!(buffering.claimed, buffering.allowed);
    let late = verdict(&[&[load(0, X, how), store(Y, 1, how)], &[load(0, Y, how), store(X, 1, how)]]);
    assert_eq!(late.claimed, late.interleaved);
    assert_eq!((late.claimed.outcomes.len(), late.allowed.outcomes.len()), (3, 4));
    // An update whose result is not used may take place after the store that follows it.
    let add = |at| Op::from(Action::Add { to: 0, at, value: 0, how });
    let late = verdict(&[&[add(X), store(Y, 1, how)], &[add(Y), store(X, 1, how)]]);
    assert!(late.claimed.outcomes.contains(&vec![1, 1, 1, 1]), "{late:?}");
    assert_eq!(late.claimed, late.allowed);
    let swaps = verdict(&[&[exchange(1, X, 1, how), add(Y)], &[exchange(1, Y, 1, how), add(X)]]);
    assert_eq!(swaps.claimed, swaps.allowed);
    for case in crate::cases() {
        let Verdict { allowed, claimed, interleaved } = &case.verdict;
        assert!(interleaved.outcomes.is_subset(&claimed.outcomes), "{}", case.program);
        assert!(claimed.outcomes.is_subset(&allowed.outcomes), "{}", case.program);
        assert_eq!(interleaved.outcomes, interleavings(&case.program), "{}", case.program);
    }
}
