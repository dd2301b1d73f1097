//! The classic shapes, each with every fence, order and scope that matters to it, in one warp, one block and across
//! blocks.
//!
//! A shape is a product: sides, each a way to write or read, times places. Nothing here says what may come out; the
//! model does (`enumerate.rs`). Left out: shapes that need dependencies, barriers or more than four threads.
//! Specification: PTX ISA, sections 8.8 (patterns), 8.10 (the axioms' own examples).

use crate::program::{Action, FenceKind, Op, Place, Program, Scope, Space, Strength, Thread, Value};
use crate::program::{VOLATILE, WEAK, acq_rel, acquire, relaxed, release};
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
        shape("MP", message_passing()),
        shape("chain", chains()),
        shape("SB", store_buffering()),
        shape("LB", load_buffering()),
        shape("CoRR", coherence(|[a, b, c]| [vec![store(X, 1, c)], vec![load(0, X, a), load(1, X, b)]])),
        shape("CoWR", coherence(|[a, b, c]| [vec![store(X, 1, a), load(0, X, b)], vec![store(X, 2, c)]])),
        shape("CoWW", coherence(|[a, b, c]| [vec![store(X, 1, a), store(X, 2, b)], vec![store(X, 3, c)]])),
        shape("CoRW", coherence(|[a, b, c]| [vec![load(0, X, a), store(X, 1, b)], vec![store(X, 2, c)]])),
        shape("RMW", read_modify_write()),
        shape("IRIW", independent_reads()),
        shape("lock", locks()),
        shape("Dekker", dekker()),
    ]
}

/// Words: what a shape calls them.
const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;

/// Where the threads of a variant run, and in which memory its words are.
#[derive(Clone, Copy)]
enum Setting {
    /// One warp, a lane each.
    Warp(Space),
    /// One block, a warp each.
    Block(Space),
    /// A block each.
    Grid,
    /// Two blocks; every second thread is in the same one.
    Pairs,
}

/// One setting of each kind, with both memories among them.
const FEW: [Setting; 3] = [Setting::Warp(Space::Global), Setting::Block(Space::Shared), Setting::Grid];

const ALL: [Setting; 5] = [
    Setting::Warp(Space::Global),
    Setting::Warp(Space::Shared),
    Setting::Block(Space::Global),
    Setting::Block(Space::Shared),
    Setting::Grid,
];

const OF_FOUR: [Setting; 4] =
    [Setting::Warp(Space::Shared), Setting::Block(Space::Global), Setting::Grid, Setting::Pairs];

impl Setting {
    fn place(self, number: u32) -> Place {
        let (block, warp, lane) = match self {
            // Lanes that are not neighbours, and not in the order of the threads.
            Setting::Warp(_) => (0, 0, (31 - 7 * number) % 32),
            Setting::Block(_) => (0, number, 0),
            Setting::Grid => (number, 0, 0),
            Setting::Pairs => (number % 2, number / 2, 0),
        };
        Place { block, warp, lane }
    }

    fn program(self, threads: &[Vec<Op>]) -> Program {
        let space = match self {
            Setting::Warp(space) | Setting::Block(space) => space,
            Setting::Grid | Setting::Pairs => Space::Global,
        };
        let place = |number: usize| self.place(number as u32);
        let threads = threads.iter().enumerate();
        let threads =
            threads.map(|(number, ops)| Thread { place: place(number), ops: ops.clone() }).collect();
        Program { threads, space }
    }
}

/// Every program in every setting.
fn everywhere(settings: &[Setting], programs: &[Vec<Vec<Op>>]) -> Vec<Program> {
    let in_settings =
        |threads: &Vec<Vec<Op>>| settings.iter().map(|setting| setting.program(threads)).collect();
    programs.iter().flat_map(|threads| -> Vec<Program> { in_settings(threads) }).collect()
}

/// One thread stores data and then a flag, the other reads the flag and then, if it was set, the data. Without the
/// condition the data are raced for, whatever the flag is worth, and what the reader finds is the same.
fn message_passing() -> Vec<Program> {
    let writers = sides::publishing(Y).into_iter().map(|flag| [vec![store(X, 1, WEAK)], flag].concat());
    let readers =
        sides::observing(Y).into_iter().map(|flag| [flag, vec![guarded(0, 1, load(1, X, WEAK))]].concat());
    let (writers, readers): (Vec<_>, Vec<_>) = (writers.collect(), readers.collect());
    let programs: Vec<Vec<Vec<Op>>> =
        pairs(&writers, &readers).map(|(writer, reader)| vec![writer, reader]).collect();
    let strong = [relaxed(Scope::Gpu), relaxed(Scope::Cta), VOLATILE, WEAK];
    let strong = pairs(&strong, &strong).map(|(data, flag)| {
        vec![vec![store(X, 1, data), store(Y, 1, flag)], vec![load(0, Y, flag), load(1, X, data)]]
    });
    everywhere(&FEW, &programs.into_iter().chain(strong).collect::<Vec<_>>())
}

/// Message passing through a third thread, which passes the flag on: by an atomic on it, which is part of a chain that
/// is observed (8.9.2), or by a flag of its own (cumulativity, 8.9.5).
fn chains() -> Vec<Program> {
    let gpu = Scope::Gpu;
    let middles = [
        vec![Action::Add { to: 0, at: Y, value: 1, how: relaxed(gpu) }.into()],
        vec![Action::Add { to: 0, at: Y, value: 1, how: relaxed(Scope::Cta) }.into()],
        vec![Action::Add { to: 0, at: Y, value: 1, how: acq_rel(gpu) }.into()],
        vec![cas(0, Y, [1, 2], relaxed(gpu))],
        vec![load(0, Y, relaxed(gpu)), guarded(0, 1, store(Y, 2, relaxed(gpu)))],
        vec![load(0, Y, acquire(gpu)), guarded(0, 1, store(Y, 2, release(gpu)))],
        vec![
            load(0, Y, relaxed(gpu)),
            fence(FenceKind::AcqRel, gpu),
            guarded(0, 1, store(Y, 2, relaxed(gpu))),
        ],
        vec![load(0, Y, WEAK), guarded(0, 1, store(Y, 2, WEAK))],
    ];
    let writers = [
        vec![store(Y, 1, release(gpu))],
        vec![store(Y, 1, release(Scope::Cta))],
        vec![fence(FenceKind::AcqRel, gpu), store(Y, 1, relaxed(gpu))],
        vec![store(Y, 1, relaxed(gpu))],
    ];
    let readers = [
        vec![load(0, Y, acquire(gpu))],
        vec![load(0, Y, acquire(Scope::Cta))],
        vec![load(0, Y, relaxed(gpu)), fence(FenceKind::AcqRel, gpu)],
        vec![load(0, Y, relaxed(gpu))],
    ];
    let ends: Vec<(Vec<Op>, Vec<Op>)> = pairs(&writers, &readers).collect();
    let programs = pairs(&ends, &middles).map(|((writer, reader), middle)| {
        let reader = [reader, vec![guarded(0, 2, load(1, X, WEAK))]].concat();
        vec![[vec![store(X, 1, WEAK)], writer].concat(), middle, reader]
    });
    everywhere(&FEW, &programs.collect::<Vec<_>>())
}

/// Each thread stores to one word and then reads the other's.
fn store_buffering() -> Vec<Program> {
    let side = |(way, mine, other): (sides::SbWay, usize, usize)| sides::store_then_load(way, mine, other);
    let programs = sides::sb_pairs().into_iter().map(|[a, b]| vec![side((a, X, Y)), side((b, Y, X))]);
    everywhere(&ALL, &programs.collect::<Vec<_>>())
}

/// Store buffering by which two threads keep each other out of a section that adds to a plain counter.
fn dekker() -> Vec<Program> {
    let side = |(way, mine, other): (sides::SbWay, usize, usize)| {
        let section = [load(1, Z, WEAK), increment(Z, 1)].map(|op| guarded(0, 0, op));
        [sides::store_then_load(way, mine, other), section.to_vec()].concat()
    };
    let programs = sides::sb_pairs().into_iter().map(|[a, b]| vec![side((a, X, Y)), side((b, Y, X))]);
    everywhere(&FEW, &programs.collect::<Vec<_>>())
}

/// Each thread reads one word and then stores to the other's.
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

/// Two threads change one word, one of them at least by an atomic (8.10.3).
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

/// Two threads store to a word each; two others read both, in opposite orders.
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

/// Two threads try to take a lock, once each; who gets it adds to a plain counter and gives the lock back.
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
