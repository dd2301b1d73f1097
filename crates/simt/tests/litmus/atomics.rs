//! The classic shapes with atomics in place of loads and stores: an exchange whose result is not used is a store, and
//! an addition of zero is a load.
//!
//! A relaxed update is not ordered with what its thread does to other words, just like a relaxed load or store. An
//! emulator that carried it out at once, in one step, would not show that. Updates that order something are left to the
//! shapes with messages and locks. Specification: PTX ISA, sections 8.4 and 8.10.

use crate::program::{Action, FenceKind, Op, Program, Scope, relaxed};
use crate::settings::{FEW, everywhere};
use crate::shapes::{X, Y};
use crate::sides::{cas, exchange, fence, load, pairs, store};

use Scope::{Cta, Gpu};

/// The register of a result that is not used: one more than the other registers that a thread has.
const NOBODYS: usize = 2;

/// Ways to store.
fn storing() -> Vec<fn(usize, u32) -> Op> {
    vec![
        |at, value| store(at, value, relaxed(Gpu)),
        |at, value| exchange(NOBODYS + at, at, value, relaxed(Gpu)),
        |at, value| exchange(NOBODYS + at, at, value, relaxed(Cta)),
    ]
}

/// Ways to load.
fn loading() -> Vec<fn(usize, usize) -> Op> {
    vec![
        |to, at| load(to, at, relaxed(Gpu)),
        |to, at| Action::Add { to, at, value: 0, how: relaxed(Gpu) }.into(),
        |to, at| cas(to, at, [7, 7], relaxed(Gpu)),
    ]
}

fn between(kind: Option<FenceKind>) -> impl Iterator<Item = Op> {
    kind.map(|kind| fence(kind, Gpu)).into_iter()
}

/// Two threads that each access one word and then the other, with and without fences of the given kinds.
fn two_and_two(side: &[Vec<[Op; 2]>; 2], fences: &[Option<FenceKind>]) -> Vec<Program> {
    // Sides of the same kind, and each side together with the middle one, in which both are atomics.
    let (numbers, middle) = ((0..side[0].len()).collect::<Vec<_>>(), side[0].len() / 2);
    let beside = pairs(&numbers, &numbers).filter(|&(a, b)| a == b || a == middle || b == middle);
    let programs = pairs(&beside.collect::<Vec<_>>(), fences).map(|((a, b), kind)| {
        [side[0][a], side[1][b]]
            .map(|[a, b]| [a].into_iter().chain(between(kind)).chain([b]).collect())
            .to_vec()
    });
    everywhere(&FEW, &programs.collect::<Vec<Vec<Vec<Op>>>>())
}

const FENCES: [Option<FenceKind>; 2] = [None, Some(FenceKind::Sc)];

/// Each thread stores to one word and then reads the other.
pub fn store_buffering() -> Vec<Program> {
    let side = |mine, other| {
        pairs(&storing(), &loading()).map(|(stores, loads)| [stores(mine, 1), loads(0, other)]).collect()
    };
    two_and_two(&[side(X, Y), side(Y, X)], &FENCES)
}

/// One thread stores data and a flag, the other reads them in the opposite order.
pub fn message_passing() -> Vec<Program> {
    let writer = pairs(&storing(), &storing()).map(|(data, flag)| [data(X, 1), flag(Y, 1)]).collect();
    let reader = pairs(&loading(), &loading()).map(|(flag, data)| [flag(0, Y), data(1, X)]).collect();
    two_and_two(&[writer, reader], &FENCES)
}

/// Each thread stores to both words, in opposite orders.
pub fn two_writes() -> Vec<Program> {
    let side = |first, second| {
        pairs(&storing(), &storing()).map(|(one, other)| [one(first, 1), other(second, 2)]).collect()
    };
    two_and_two(&[side(X, Y), side(Y, X)], &FENCES)
}

/// Each thread reads one word and then stores to the other.
pub fn load_buffering() -> Vec<Program> {
    let side = |mine, other| {
        pairs(&loading(), &storing()).map(|(loads, stores)| [loads(0, mine), stores(other, 1)]).collect()
    };
    two_and_two(&[side(X, Y), side(Y, X)], &FENCES)
}
