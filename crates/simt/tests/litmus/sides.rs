//! The parts of the shapes: the ways in which one thread can write or read, with and without a fence.
//!
//! Each list contains the correct ways, the same with a scope that is too small, and the same with a part missing. Ways
//! that differ from one of these only in a name are left out. Specification: PTX ISA, sections 8.4 to 8.8.

use crate::program::{Action, FenceKind, Op, Scope, Strength, Value};
use crate::program::{VOLATILE, WEAK, acq_rel, acquire, relaxed, release};

use FenceKind::{AcqRel, Membar, Sc};
use Scope::{Cta, Gpu, Sys};

/// A load.
pub fn load(to: usize, at: usize, how: Strength) -> Op {
    Action::Load { to, at, how }.into()
}

/// A store of a constant.
pub fn store(at: usize, value: u32, how: Strength) -> Op {
    Action::Store { at, value: Value::Is(value), how }.into()
}

/// An exchange.
pub fn exchange(to: usize, at: usize, value: u32, how: Strength) -> Op {
    Action::Exchange { to, at, value, how }.into()
}

/// A compare and swap, from the first value to the second.
pub fn cas(to: usize, at: usize, [expected, value]: [u32; 2], how: Strength) -> Op {
    Action::Cas { to, at, expected, value, how }.into()
}

/// A fence.
pub fn fence(kind: FenceKind, scope: Scope) -> Op {
    Action::Fence { kind, scope }.into()
}

/// An operation that is carried out only if the register has the value.
pub fn guarded(register: usize, value: u32, op: Op) -> Op {
    Op { guard: Some((register, value)), ..op }
}

/// Every pair of an item of the first list and an item of the second.
pub fn pairs<A: Clone, B: Clone>(first: &[A], second: &[B]) -> impl Iterator<Item = (A, B)> + use<A, B> {
    let pairs = first.iter().flat_map(|a| second.iter().map(|b| (a.clone(), b.clone())));
    pairs.collect::<Vec<_>>().into_iter()
}

/// The fences, each followed by an operation.
fn fenced(kinds: &[(FenceKind, Scope)], op: Op) -> impl Iterator<Item = Vec<Op>> + '_ {
    kinds.iter().map(move |&(kind, scope)| vec![fence(kind, scope), op])
}

const STRONG_FENCES: [(FenceKind, Scope); 6] =
    [(AcqRel, Cta), (AcqRel, Gpu), (AcqRel, Sys), (Sc, Cta), (Sc, Gpu), (Membar, Gpu)];

/// Ways to set a flag after earlier operations.
pub fn publishing(flag: usize) -> Vec<Vec<Op>> {
    let plain = [WEAK, VOLATILE, relaxed(Cta), relaxed(Gpu), release(Cta), release(Gpu), release(Sys)];
    let plain = plain.into_iter().map(|how| vec![store(flag, 1, how)]);
    let fenced_relaxed = fenced(&STRONG_FENCES, store(flag, 1, relaxed(Gpu)));
    let odd = [
        vec![fence(Membar, Cta), store(flag, 1, VOLATILE)],
        vec![fence(AcqRel, Gpu), store(flag, 1, relaxed(Cta))],
        vec![fence(AcqRel, Gpu), store(flag, 1, WEAK)],
        vec![exchange(0, flag, 1, release(Gpu))],
        vec![exchange(0, flag, 1, acquire(Gpu))],
        vec![fence(AcqRel, Gpu), exchange(0, flag, 1, relaxed(Gpu))],
        // 8.8: a release pattern may continue after the release operation.
        vec![store(flag, 2, release(Gpu)), store(flag, 1, relaxed(Gpu))],
        // A release for the block does not cancel what was released for all.
        vec![store(flag, 2, release(Gpu)), store(flag, 3, release(Cta)), store(flag, 1, relaxed(Gpu))],
        vec![fence(AcqRel, Gpu), fence(AcqRel, Cta), store(flag, 1, relaxed(Gpu))],
    ];
    plain.chain(fenced_relaxed).chain(odd).collect()
}

/// Ways to read a flag before later operations.
pub fn observing(flag: usize) -> Vec<Vec<Op>> {
    let plain = [WEAK, VOLATILE, relaxed(Cta), relaxed(Gpu), acquire(Cta), acquire(Gpu), acquire(Sys)];
    let plain = plain.into_iter().map(|how| vec![load(0, flag, how)]);
    let read = load(0, flag, relaxed(Gpu));
    let fenced = STRONG_FENCES.iter().map(|&(kind, scope)| vec![read, fence(kind, scope)]);
    let odd = [
        vec![load(0, flag, VOLATILE), fence(Membar, Cta)],
        vec![load(0, flag, relaxed(Cta)), fence(AcqRel, Gpu)],
        vec![load(0, flag, WEAK), fence(AcqRel, Gpu)],
        vec![exchange(0, flag, 3, acquire(Gpu))],
        vec![exchange(0, flag, 3, release(Gpu))],
        vec![Action::Add { to: 0, at: flag, value: 2, how: acq_rel(Cta) }.into()],
        // 8.8: an acquire pattern may begin with an earlier read of the word.
        vec![load(0, flag, relaxed(Gpu)), load(2, flag, acquire(Gpu))],
    ];
    plain.chain(fenced).chain(odd).collect()
}

/// How a side of store buffering stores, the fence, and how it loads.
pub type SbWay = (Strength, Option<(FenceKind, Scope)>, Strength);

/// A side of store buffering.
pub fn store_then_load((write, between, read): SbWay, mine: usize, other: usize) -> Vec<Op> {
    let between = between.map(|(kind, scope)| fence(kind, scope));
    [store(mine, 1, write)].into_iter().chain(between).chain([load(0, other, read)]).collect()
}

/// The two sides of store buffering: the same, or with different fences, or with different accesses.
pub fn sb_pairs() -> Vec<[SbWay; 2]> {
    let fences = [AcqRel, Sc].into_iter().flat_map(|kind| [Cta, Gpu, Sys].map(|scope| Some((kind, scope))));
    let membars = [Some((Membar, Cta)), Some((Membar, Gpu))];
    let fences: Vec<Option<(FenceKind, Scope)>> = [None].into_iter().chain(fences).chain(membars).collect();
    let kinds = [
        (WEAK, WEAK),
        (VOLATILE, VOLATILE),
        (relaxed(Cta), relaxed(Cta)),
        (relaxed(Gpu), relaxed(Gpu)),
        (release(Gpu), acquire(Gpu)),
    ];
    let alike = pairs(&kinds, &fences).map(|((write, read), fence)| [(write, fence, read); 2]);
    let strong = relaxed(Gpu);
    let other_fences = pairs(&fences, &fences).filter(|(a, b)| a != b);
    let other_fences = other_fences.map(|(a, b)| [(strong, a, strong), (strong, b, strong)]);
    let between = Some((Sc, Gpu));
    let other_kinds = pairs(&kinds, &kinds).filter(|(a, b)| a != b);
    let other_kinds = other_kinds.map(|(a, b)| [(a.0, between, a.1), (b.0, between, b.1)]);
    alike.chain(other_fences).chain(other_kinds).collect()
}

/// How a side of load buffering loads, the fence, and how it stores.
pub type LbWay = (Strength, Option<(FenceKind, Scope)>, Strength);

/// The two sides of load buffering: the same, or with different fences, or with different accesses.
pub fn lb_pairs() -> Vec<[LbWay; 2]> {
    let fences = [None, Some((AcqRel, Cta)), Some((AcqRel, Gpu)), Some((Sc, Gpu))];
    let (strong, narrow) = (relaxed(Gpu), relaxed(Cta));
    let kinds = [
        (WEAK, WEAK),
        (narrow, narrow),
        (strong, strong),
        (acquire(Gpu), strong),
        (strong, release(Gpu)),
        (acquire(Gpu), release(Gpu)),
    ];
    let alike = pairs(&kinds, &fences).map(|((read, write), fence)| [(read, fence, write); 2]);
    let other_fences = pairs(&fences, &fences).filter(|(a, b)| a != b);
    let other_fences = other_fences.map(|(a, b)| [(strong, a, strong), (strong, b, strong)]);
    let other_kinds = pairs(&kinds, &kinds).filter(|(a, b)| a != b);
    let other_kinds = other_kinds.map(|(a, b)| [(a.0, None, a.1), (b.0, None, b.1)]);
    alike.chain(other_fences).chain(other_kinds).collect()
}

/// The strengths of two accesses by one thread, each of which is possible for a load and for a store.
pub fn two_accesses() -> Vec<(Strength, Strength)> {
    vec![
        (WEAK, WEAK),
        (relaxed(Cta), relaxed(Cta)),
        (relaxed(Gpu), relaxed(Gpu)),
        (WEAK, relaxed(Gpu)),
        (relaxed(Gpu), WEAK),
    ]
}

/// No fence, the fences that may be enough, and one whose scope is too small.
pub fn some_fences() -> Vec<Option<(FenceKind, Scope)>> {
    vec![None, Some((AcqRel, Gpu)), Some((Sc, Cta)), Some((Sc, Gpu))]
}

/// How the readers of independent writes read, and the fence between their loads.
pub fn iriw_readers() -> Vec<(Strength, Option<(FenceKind, Scope)>)> {
    let kinds = [WEAK, relaxed(Cta), relaxed(Gpu), acquire(Gpu)];
    let fences = [None, Some((AcqRel, Gpu)), Some((Sc, Cta)), Some((Sc, Gpu)), Some((Membar, Gpu))];
    pairs(&kinds, &fences).collect()
}

/// Ways to take a lock: free is 0, taken is 1.
pub fn taking(lock: usize) -> Vec<Vec<Op>> {
    let take = |how| cas(0, lock, [0, 1], how);
    vec![
        vec![take(relaxed(Gpu))],
        vec![take(relaxed(Gpu)), fence(AcqRel, Gpu)],
        vec![take(relaxed(Gpu)), fence(AcqRel, Cta)],
        vec![take(relaxed(Gpu)), fence(Membar, Gpu)],
        vec![take(relaxed(Cta)), fence(AcqRel, Gpu)],
        vec![take(acquire(Gpu))],
        vec![take(acquire(Cta))],
        vec![take(acq_rel(Sys))],
    ]
}

/// Ways to release a lock.
pub fn giving_back(lock: usize) -> Vec<Vec<Op>> {
    let put = |how| store(lock, 0, how);
    let swap = |how| exchange(2, lock, 0, how);
    vec![
        vec![put(WEAK)],
        vec![put(VOLATILE)],
        vec![put(relaxed(Gpu))],
        vec![swap(relaxed(Gpu))],
        vec![fence(AcqRel, Gpu), put(WEAK)],
        vec![fence(AcqRel, Gpu), put(relaxed(Gpu))],
        vec![fence(AcqRel, Gpu), swap(relaxed(Gpu))],
        vec![fence(AcqRel, Cta), swap(relaxed(Gpu))],
        vec![fence(Membar, Gpu), put(VOLATILE)],
        vec![put(release(Gpu))],
        vec![put(release(Cta))],
        vec![swap(release(Gpu))],
    ]
}
