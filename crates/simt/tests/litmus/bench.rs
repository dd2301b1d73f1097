//! Runs a litmus program on the emulator many times.
//!
//! The module is loaded once and the buffers are reset between runs, so a run costs little more than its instructions.
//! What the runs mean is left to `litmus.rs`, which compares them with the model. Specification: none of its own.

use std::iter;

use simt::{
    Buffer, Checks, Emulator, Fault, FaultKind, Launch, Limits, Module, Reconvergence, Schedule, Severity,
};

use crate::program::{Outcome, Place, Program, Thread};
use crate::ptx::render;

/// A program that is ready to be run.
pub struct Bench {
    emulator: Emulator,
    module: Module,
    memory: Buffer,
    results: Buffer,
    delays: Buffer,
    registers: usize,
    launch: Launch,
}

/// The result of a run.
pub struct Run {
    /// Its outcome.
    pub outcome: Outcome,
    /// The races that were reported as errors.
    pub races: Vec<Fault>,
}

impl Bench {
    /// Loads a program.
    pub fn new(program: &Program) -> Bench {
        let text = render(program);
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("litmus.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let registers: usize = program.threads.iter().map(Thread::registers).sum();
        let memory = emulator.alloc("words", 4 * program.locations() as u64).unwrap();
        let results = emulator.alloc("results", 4 * registers.max(1) as u64).unwrap();
        let operations: usize = program.threads.iter().map(|thread| thread.ops.len()).sum();
        // One delay for each operation, and one for the end of each thread.
        let delays = emulator.alloc("delays", 4 * (operations + program.threads.len()) as u64).unwrap();
        let most = |place: fn(&Place) -> u32| {
            1 + program.threads.iter().map(|thread| place(&thread.place)).max().unwrap_or(0)
        };
        let launch = Launch::new(most(|place| place.block), 32 * most(|place| place.warp));
        let mut launch = launch.arg(memory.address()).arg(results.address()).arg(delays.address());
        launch.reconvergence = Reconvergence::Its;
        launch.max_steps = 100_000;
        Bench { emulator, module, memory, results, delays, registers, launch }
    }

    /// Switches the weak memory on or off.
    #[must_use]
    pub fn weak_memory(mut self, on: bool) -> Bench {
        self.launch.weak_memory = on;
        self
    }

    /// Switches all checkers on.
    #[must_use]
    pub fn checked(mut self) -> Bench {
        self.launch.checks = Checks::ALL;
        self
    }

    /// Runs the program once.
    pub fn run(&mut self, seed: u64, schedule: Schedule) -> Run {
        self.emulator.write(self.memory).unwrap().fill(0);
        self.emulator.write(self.results).unwrap().fill(0);
        let delays = self.emulator.write(self.delays).unwrap().chunks_exact_mut(4);
        delays.zip(delays_of(seed)).for_each(|(bytes, delay)| bytes.copy_from_slice(&delay.to_le_bytes()));
        self.launch.seed = seed;
        self.launch.schedule = schedule;
        let report = self.emulator.launch(&self.module, "litmus", &self.launch);
        let report = report.unwrap_or_else(|error| panic!("{error}"));
        let errors = report.faults.into_iter().filter(|fault| fault.severity == Severity::Error);
        let (races, others): (Vec<Fault>, Vec<Fault>) =
            errors.partition(|fault| fault.kind == FaultKind::Race);
        assert!(others.is_empty(), "seed {seed}, {schedule:?}: {}", others[0]);
        let results = self.emulator.read(self.results).unwrap().chunks_exact(4).take(self.registers);
        let memory = self.emulator.read(self.memory).unwrap().chunks_exact(4);
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        Run { outcome: results.chain(memory).map(word).collect(), races }
    }
}

/// The longest delay of an operation, in iterations of its loop: a few slices of the schedules.
const LONGEST_DELAY: u64 = 24;

/// The delays of the operations. Most of them are zero, so that threads often run at the same time.
fn delays_of(seed: u64) -> impl Iterator<Item = u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    iter::repeat_with(move || {
        // `xorshift64*`, as in the schedules; any generator that needs no crate would do.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let drawn = state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40;
        if drawn.is_multiple_of(4) { (drawn / 4 % LONGEST_DELAY) as u32 } else { 0 }
    })
}
