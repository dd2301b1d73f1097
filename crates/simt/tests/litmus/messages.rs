//! Shapes in which a message is passed: data, and a flag that says that the data is ready.
//!
//! The message goes directly to a second thread, or through another one. Which outcomes are possible is left to the
//! model (`enumerate.rs`). Specification: PTX ISA, sections 8.8 (patterns), 8.9.2 (observation order) and 8.9.5
//! (causality order).

use crate::program::{Action, FenceKind, Op, Program, Scope, Strength};
use crate::program::{VOLATILE, WEAK, acq_rel, acquire, relaxed, release};
use crate::settings::{FEW, everywhere};
use crate::shapes::{X, Y, Z};
use crate::sides::{self, cas, exchange, fence, guarded, load, pairs, store};

/// One thread stores data and then a flag. The other reads the flag and then the data, if the flag was set. Without
/// that condition there is a race for the data, whatever the flag orders, and the reader finds the same values.
pub fn message_passing() -> Vec<Program> {
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

/// Message passing while a third thread overwrites the flag. Then it matters where a pattern begins and ends: an
/// acquire of the later value also acquires what an earlier read of the flag has found (8.8).
pub fn overwritten_messages() -> Vec<Program> {
    let gpu = Scope::Gpu;
    let twice = [
        vec![load(0, Y, relaxed(gpu)), load(2, Y, acquire(gpu))],
        vec![load(0, Y, relaxed(gpu)), load(2, Y, acquire(Scope::Cta))],
        vec![load(0, Y, relaxed(gpu)), load(2, Y, relaxed(gpu)), fence(FenceKind::AcqRel, gpu)],
    ];
    let readers = [few_observing(Y), twice.to_vec()].concat();
    let ends: Vec<(Vec<Op>, Vec<Op>)> = pairs(&few_publishing(Y), &readers).collect();
    let others = [
        store(Y, 5, WEAK),
        store(Y, 5, relaxed(gpu)),
        store(Y, 5, release(gpu)),
        exchange(0, Y, 5, relaxed(gpu)),
    ];
    let programs = pairs(&ends, &others).map(|((writer, reader), other)| {
        let reader = [reader, vec![guarded(0, 1, load(1, X, WEAK))]].concat();
        vec![[vec![store(X, 1, WEAK)], writer].concat(), vec![other], reader]
    });
    everywhere(&FEW, &programs.collect::<Vec<_>>())
}

/// Message passing through a third thread, which passes the flag on: by an atomic on the flag, which is part of an
/// observed chain (8.9.2), or by a flag of its own (cumulativity, 8.9.5).
pub fn chains() -> Vec<Program> {
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
    let ends: Vec<(Vec<Op>, Vec<Op>)> = pairs(&few_publishing(Y), &few_observing(Y)).collect();
    let programs = pairs(&ends, &middles).map(|((writer, reader), middle)| {
        let reader = [reader, vec![guarded(0, 2, load(1, X, WEAK))]].concat();
        vec![[vec![store(X, 1, WEAK)], writer].concat(), middle, reader]
    });
    everywhere(&FEW, &programs.collect::<Vec<_>>())
}

/// A thread reads what another one stored, and then raises a flag; a third thread that reads the flag also reads what
/// the first one stored. What was observed comes before what follows the observation, even if nothing else orders it
/// (8.9.5, causality order, 2).
pub fn write_to_read() -> Vec<Program> {
    let hows = [WEAK, relaxed(Scope::Cta), relaxed(Scope::Gpu)];
    let ends: Vec<(Strength, Strength)> = pairs(&hows, &hows).collect();
    let flags: Vec<(Vec<Op>, Vec<Op>)> = pairs(&few_publishing(Y), &few_observing(Y)).collect();
    let programs = pairs(&ends, &flags).map(|((first, seen), (flag, wait))| {
        let middle = [vec![load(1, X, seen)], flag].concat();
        let reader = [wait, vec![guarded(0, 1, load(1, X, relaxed(Scope::Gpu)))]].concat();
        vec![vec![store(X, 1, first)], middle, reader]
    });
    everywhere(&FEW, &programs.collect::<Vec<_>>())
}

/// Message passing twice in a row, with a flag each time (cumulativity, 8.9.5).
pub fn two_messages() -> Vec<Program> {
    let (first_flags, first_waits) = (few_publishing(Y), few_observing(Y));
    let ends: Vec<(Vec<Op>, Vec<Op>)> = pairs(&first_flags, &few_observing(Z)).collect();
    let middles: Vec<(Vec<Op>, Vec<Op>)> = pairs(&first_waits, &few_publishing(Z)).collect();
    let programs = pairs(&ends, &middles).map(|((flag, wait), (first_wait, second_flag))| {
        let second_flag = second_flag.into_iter().map(|op| guarded(0, 1, op));
        let middle = first_wait.into_iter().chain(second_flag).collect();
        let reader = [wait, vec![guarded(0, 1, load(1, X, WEAK))]].concat();
        vec![[vec![store(X, 1, WEAK)], flag].concat(), middle, reader]
    });
    everywhere(&FEW, &programs.collect::<Vec<_>>())
}

/// Ways to set a flag: a correct one, one with a scope that is too small, and one with a part missing.
fn few_publishing(flag: usize) -> Vec<Vec<Op>> {
    let gpu = Scope::Gpu;
    vec![
        vec![store(flag, 1, release(gpu))],
        vec![store(flag, 1, release(Scope::Cta))],
        vec![fence(FenceKind::AcqRel, gpu), store(flag, 1, relaxed(gpu))],
        vec![store(flag, 1, relaxed(gpu))],
    ]
}

/// Ways to read a flag, likewise.
fn few_observing(flag: usize) -> Vec<Vec<Op>> {
    let gpu = Scope::Gpu;
    vec![
        vec![load(0, flag, acquire(gpu))],
        vec![load(0, flag, acquire(Scope::Cta))],
        vec![load(0, flag, relaxed(gpu)), fence(FenceKind::AcqRel, gpu)],
        vec![load(0, flag, relaxed(gpu))],
    ]
}
