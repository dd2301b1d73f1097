//! The classic shapes, each with every fence, order and scope that matters to it, in one warp, in one block and across
//! blocks.
//!
//! A shape is a product: sides, each a way to write or read, times places. Nothing here says which outcomes are
//! possible; the model does (`enumerate.rs`). Shapes that need dependences or more than four threads are left out.
//! Specification: PTX ISA, sections 8.8 (patterns) and 8.10 (the axioms' own examples).

use crate::atomics;
use crate::barriers;
use crate::messages;
use crate::program::{Action, FenceKind, Op, Program, Scope, Strength, Value};
use crate::program::{VOLATILE, WEAK, relaxed, release};
use crate::settings::{ALL, FEW, OF_FOUR, everywhere};
use crate::sides::{self, cas, exchange, fence, guarded, load, pairs, store};

/// A shape and its variants.
pub struct Shape {
    pub name: &'static str,
    pub variants: Vec<Program>,
}

/// All shapes.
pub fn shapes() -> Vec<Shape> {
    let shape = |name, variants| Shape { name, variants };
    vec![
        shape("MP", messages::message_passing()),
        shape("overwritten MP", messages::overwritten_messages()),
        shape("chain", messages::chains()),
        shape("WRC", messages::write_to_read()),
        shape("ISA2", messages::two_messages()),
        shape("SB", store_buffering()),
        shape(
            "R",
            two_words(|[a, b]| {
                [vec![store(X, 1, a.0), store(Y, 1, a.1)], vec![store(Y, 2, b.0), load(0, X, b.1)]]
            }),
        ),
        shape(
            "S",
            two_words(|[a, b]| {
                [vec![store(X, 2, a.0), store(Y, 1, a.1)], vec![load(0, Y, b.0), store(X, 1, b.1)]]
            }),
        ),
        shape(
            "2+2W",
            two_words(|[a, b]| {
                [vec![store(X, 1, a.0), store(Y, 2, a.1)], vec![store(Y, 1, b.0), store(X, 2, b.1)]]
            }),
        ),
        shape("LB", load_buffering()),
        shape("CoRR", coherence(|[a, b, c]| [vec![store(X, 1, c)], vec![load(0, X, a), load(1, X, b)]])),
        shape("CoWR", coherence(|[a, b, c]| [vec![store(X, 1, a), load(0, X, b)], vec![store(X, 2, c)]])),
        shape("CoWW", coherence(|[a, b, c]| [vec![store(X, 1, a), store(X, 2, b)], vec![store(X, 3, c)]])),
        shape("CoRW", coherence(|[a, b, c]| [vec![load(0, X, a), store(X, 1, b)], vec![store(X, 2, c)]])),
        shape("RMW", read_modify_write()),
        shape("IRIW", independent_reads()),
        shape("lock", locks()),
        shape("Dekker", dekker()),
        shape("SB of atomics", atomics::store_buffering()),
        shape("MP of atomics", atomics::message_passing()),
        shape("2+2W of atomics", atomics::two_writes()),
        shape("LB of atomics", atomics::load_buffering()),
        shape("barriers", barriers::across()),
    ]
}

/// The names of the words in the shapes.
pub const X: usize = 0;
pub const Y: usize = 1;
pub const Z: usize = 2;

/// Two threads with two accesses each and a fence, or none, between them.
fn two_words(shape: impl Fn([(Strength, Strength); 2]) -> [Vec<Op>; 2]) -> Vec<Program> {
    let ways = sides::two_accesses();
    let fences = sides::some_fences();
    let programs = pairs(&pairs(&ways, &ways).collect::<Vec<_>>(), &fences).map(|((a, b), between)| {
        let fence = between.map(|(kind, scope)| fence(kind, scope));
        shape([a, b])
            .map(|ops| ops[..1].iter().copied().chain(fence).chain(ops[1..].iter().copied()).collect())
            .to_vec()
    });
    everywhere(&FEW, &programs.collect::<Vec<_>>())
}

/// Each thread stores to one word and then reads the other one.
fn store_buffering() -> Vec<Program> {
    let side = |(way, mine, other): (sides::SbWay, usize, usize)| sides::store_then_load(way, mine, other);
    let programs = sides::sb_pairs().into_iter().map(|[a, b]| vec![side((a, X, Y)), side((b, Y, X))]);
    everywhere(&ALL, &programs.collect::<Vec<_>>())
}

/// Store buffering with which two threads exclude each other from a section that adds to a plain counter.
fn dekker() -> Vec<Program> {
    let side = |(way, mine, other): (sides::SbWay, usize, usize)| {
        let section = [load(1, Z, WEAK), increment(Z, 1)].map(|op| guarded(0, 0, op));
        [sides::store_then_load(way, mine, other), section.to_vec()].concat()
    };
    let programs = sides::sb_pairs().into_iter().map(|[a, b]| vec![side((a, X, Y)), side((b, Y, X))]);
    everywhere(&FEW, &programs.collect::<Vec<_>>())
}

/// Each thread reads one word and then stores to the other one.
fn load_buffering() -> Vec<Program> {
    let side = |(read, between, write): sides::LbWay, mine: usize, other: usize| {
        let fence = between.map(|(kind, scope)| fence(kind, scope));
        [load(0, mine, read)].into_iter().chain(fence).chain([store(other, 1, write)]).collect::<Vec<Op>>()
    };
    let programs = sides::lb_pairs().into_iter().map(|[a, b]| vec![side(a, X, Y), side(b, Y, X)]);
    everywhere(&FEW, &programs.collect::<Vec<_>>())
}

/// Two accesses to one word by one thread, and a store to it by another.
fn coherence(shape: impl Fn([Strength; 3]) -> [Vec<Op>; 2]) -> Vec<Program> {
    let kinds = [WEAK, VOLATILE, relaxed(Scope::Cta), relaxed(Scope::Gpu)];
    let mixed = [(WEAK, relaxed(Scope::Gpu)), (relaxed(Scope::Gpu), WEAK), (relaxed(Scope::Cta), VOLATILE)];
    let of_one: Vec<(Strength, Strength)> = kinds.iter().map(|&kind| (kind, kind)).chain(mixed).collect();
    let programs = pairs(&of_one, &kinds).map(|((a, b), c)| shape([a, b, c]).to_vec());
    everywhere(&ALL, &programs.collect::<Vec<_>>())
}

/// Two threads change one word, at least one of them by an atomic (8.10.3).
fn read_modify_write() -> Vec<Program> {
    let scopes = [Scope::Cta, Scope::Gpu, Scope::Sys];
    let add = |scope| vec![Action::Add { to: 0, at: X, value: 1, how: relaxed(scope) }.into()];
    let adds: Vec<Vec<Op>> = scopes.into_iter().map(add).collect();
    let exchanges = scopes.into_iter().map(|scope| vec![exchange(0, X, 4, relaxed(scope))]);
    let swaps = scopes.into_iter().map(|scope| vec![cas(0, X, [0, 4], relaxed(scope))]);
    let stores = [WEAK, VOLATILE, relaxed(Scope::Cta), relaxed(Scope::Gpu)].map(|how| vec![store(X, 4, how)]);
    let twice = scopes.into_iter().map(|scope| [add(scope), add(scope)].concat());
    let others: Vec<Vec<Op>> =
        adds.iter().cloned().chain(exchanges).chain(swaps).chain(stores).chain(twice).collect();
    let programs = pairs(&adds, &others).map(|(one, other)| vec![one, other]);
    everywhere(&ALL, &programs.collect::<Vec<_>>())
}

/// Two threads store to one word each; two others read both words, in opposite orders.
fn independent_reads() -> Vec<Program> {
    let reader = |(how, between): (Strength, Option<(FenceKind, Scope)>), first: usize, second: usize| {
        let fence = between.map(|(kind, scope)| fence(kind, scope));
        [load(0, first, how)].into_iter().chain(fence).chain([load(1, second, how)]).collect::<Vec<Op>>()
    };
    let writes = [WEAK, relaxed(Scope::Cta), relaxed(Scope::Gpu), release(Scope::Gpu)];
    let programs = pairs(&writes, &sides::iriw_readers()).map(|(write, way)| {
        vec![vec![store(X, 1, write)], vec![store(Y, 1, write)], reader(way, X, Y), reader(way, Y, X)]
    });
    everywhere(&OF_FOUR, &programs.collect::<Vec<_>>())
}

/// Two threads try to take a lock once each; a thread that gets it adds to a plain counter and releases the lock.
fn locks() -> Vec<Program> {
    let thread = |(take, give): (Vec<Op>, Vec<Op>)| {
        let section = [load(1, Y, WEAK), increment(Y, 1)].into_iter().chain(give);
        take.into_iter().chain(section.map(|op| guarded(0, 0, op))).collect::<Vec<Op>>()
    };
    let programs =
        pairs(&sides::taking(X), &sides::giving_back(X)).map(|way| vec![thread(way.clone()), thread(way)]);
    everywhere(&FEW, &programs.collect::<Vec<_>>())
}

fn increment(at: usize, register: usize) -> Op {
    Action::Store { at, value: Value::Plus(register, 1), how: WEAK }.into()
}
