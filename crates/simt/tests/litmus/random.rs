//! Random litmus programs: threads in any place, every operation that a litmus program can have, and barriers.
//!
//! A program has phases. Between two of them the threads of a block may wait at a barrier, or some lanes of a warp, so
//! no thread waits for ever. The style of a program is drawn first: how many threads and words there are, how many of
//! the accesses are weak, which scopes are in use. Programs are so small that all of their executions can be
//! enumerated. What `program.rs` cannot express is left out. Specification: PTX ISA, section 8.

use crate::program::{
    Action, Among, FenceKind, Location, Op, Order, Place, Program, Register, Scope, Space, Strength, Thread,
    Value, WEAK,
};
use test_support::Random;

/// The largest numbers of accesses of a program, of reads among them, and of fences, so that it has few executions.
const MOST_ACCESSES: usize = 7;
const MOST_READS: usize = 4;
const MOST_FENCES: usize = 3;

/// The style of a program.
struct Style {
    words: usize,
    /// One access in this many is weak.
    weak: usize,
    scopes: &'static [Scope],
    phases: usize,
    /// One operation in this many has a guard.
    guards: usize,
}

/// A thread that is being generated.
#[derive(Default)]
struct Making {
    ops: Vec<Op>,
    registers: Register,
    /// The registers that an operation without a guard has written.
    certain: Vec<Register>,
}

/// How much has been used so far.
#[derive(Default)]
struct Used {
    accesses: usize,
    reads: usize,
    fences: usize,
    barriers: usize,
    /// The values stored so far; each store has a value of its own.
    values: u32,
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let numbers = &mut Random::new(seed);
    let mut places = places(numbers);
    let is_one_block = places.iter().all(|place| place.block == places[0].block);
    if is_one_block {
        for place in &mut places {
            place.block = 0;
        }
    }
    let space = if is_one_block && numbers.once_in(2) { Space::Shared } else { Space::Global };
    let style = Style {
        words: 1 + numbers.below(3),
        weak: numbers.pick(&[2, 4, 1000]),
        scopes: numbers.pick(&[
            &[Scope::Gpu][..],
            &[Scope::Gpu, Scope::Sys],
            &[Scope::Cta, Scope::Gpu, Scope::Gpu],
        ]),
        phases: 1 + numbers.below(3),
        guards: numbers.pick(&[3, 8]),
    };
    let mut used = Used::default();
    let mut threads: Vec<Making> = places.iter().map(|_| Making::default()).collect();
    for phase in 0..style.phases {
        if phase > 0 {
            add_barrier(numbers, &places, &mut threads, &mut used);
        }
        for thread in &mut threads {
            for _ in 0..=numbers.below(2) {
                thread.add(numbers, &style, &mut used);
            }
        }
    }
    let threads = places.into_iter().zip(threads);
    let threads = threads.map(|(place, making)| Thread { place, ops: making.ops }).collect();
    Program { threads, space }
}

/// Two to four threads in up to three blocks.
fn places(numbers: &mut Random) -> Vec<Place> {
    let (threads, blocks, warps) = (2 + numbers.below(3), 1 + numbers.below(3), 1 + numbers.below(2));
    let mut places: Vec<Place> = Vec::new();
    while places.len() < threads {
        let (block, warp) = (numbers.below(blocks) as u32, numbers.below(warps) as u32);
        let place = Place { block, warp, lane: numbers.below(32) as u32 };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// Makes the threads of some blocks wait at a barrier, or some lanes of a warp.
fn add_barrier(numbers: &mut Random, places: &[Place], threads: &mut [Making], used: &mut Used) {
    for block in 0..3 {
        let among = match numbers.below(4) {
            0 => Among::Block,
            1 | 2 => Among::Warp,
            _ => continue,
        };
        let warp = numbers.below(2) as u32;
        let number = used.barriers;
        for (place, thread) in places.iter().zip(&mut *threads) {
            let is_there = place.block == block && (among == Among::Block || place.warp == warp);
            // Of a warp most lanes take part, but not all.
            if is_there && (among == Among::Block || !numbers.once_in(4)) {
                thread.ops.push(Action::Barrier { among, number }.into());
                used.barriers = number + 1;
            }
        }
    }
}

impl Making {
    /// Adds an operation, unless there are enough.
    fn add(&mut self, numbers: &mut Random, style: &Style, used: &mut Used) {
        let guard = self.guard(numbers, style, used);
        let kind = numbers.below(14);
        if kind < 2 {
            if used.fences < MOST_FENCES {
                used.fences += 1;
                let kind = numbers.pick(&[FenceKind::AcqRel, FenceKind::Sc, FenceKind::Membar]);
                let scope = numbers.pick(style.scopes);
                self.ops.push(Op { action: Action::Fence { kind, scope }, guard });
            }
            return;
        }
        let reads = kind >= 6;
        if used.accesses == MOST_ACCESSES || (reads && used.reads == MOST_READS) {
            return;
        }
        used.accesses += 1;
        used.reads += usize::from(reads);
        let at = numbers.below(style.words);
        let action = match kind {
            2..6 => self.store(numbers, style, used, at),
            6..10 => Action::Load { to: self.result(numbers), at, how: strength(numbers, style, &LOADS) },
            kind => self.update(numbers, style, used, (kind, at)),
        };
        if let (Some(to), None) = (action.result(), guard) {
            self.certain.push(to);
        }
        self.ops.push(Op { action, guard });
    }

    /// A condition on a value that was read before.
    fn guard(&self, numbers: &mut Random, style: &Style, used: &Used) -> Option<(Register, u32)> {
        let guards = self.registers > 0 && numbers.once_in(style.guards);
        guards.then(|| (numbers.below(self.registers), numbers.below(used.values as usize + 1) as u32))
    }

    /// A register for a result, usually a new one.
    fn result(&mut self, numbers: &mut Random) -> Register {
        if self.registers > 0 && numbers.once_in(8) {
            return numbers.below(self.registers);
        }
        self.registers += 1;
        self.registers - 1
    }

    fn store(&self, numbers: &mut Random, style: &Style, used: &mut Used, at: Location) -> Action {
        let how = strength(numbers, style, &STORES);
        if !self.certain.is_empty() && numbers.once_in(6) {
            return Action::Store { at, value: Value::Plus(numbers.pick(&self.certain), 1), how };
        }
        Action::Store { at, value: Value::Is(used.new_value()), how }
    }

    fn update(
        &mut self,
        numbers: &mut Random,
        style: &Style,
        used: &mut Used,
        (kind, at): (usize, Location),
    ) -> Action {
        let strong = Style { weak: usize::MAX, ..*style };
        let how = strength(numbers, &strong, &UPDATES);
        let to = self.result(numbers);
        match kind {
            10 | 11 => Action::Add { to, at, value: numbers.below(2) as u32, how },
            12 => Action::Exchange { to, at, value: used.new_value(), how },
            _ => {
                let expected = numbers.below(used.values as usize + 1) as u32;
                Action::Cas { to, at, expected, value: used.new_value(), how }
            }
        }
    }
}

impl Used {
    fn new_value(&mut self) -> u32 {
        self.values += 1;
        self.values
    }
}

const LOADS: [Order; 4] = [Order::Relaxed, Order::Relaxed, Order::Volatile, Order::Acquire];
const STORES: [Order; 4] = [Order::Relaxed, Order::Relaxed, Order::Volatile, Order::Release];
const UPDATES: [Order; 5] = [Order::Relaxed, Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel];

fn strength(numbers: &mut Random, style: &Style, orders: &[Order]) -> Strength {
    if numbers.once_in(style.weak) {
        return WEAK;
    }
    let order = numbers.pick(orders);
    let scope = if order == Order::Volatile { Scope::Sys } else { numbers.pick(style.scopes) };
    Strength { order, scope }
}
