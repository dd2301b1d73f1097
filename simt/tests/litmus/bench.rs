//! Runs a litmus program on the emulator, again and again.
//!
//! The module is loaded once and the buffers are reset between runs, so that a run costs little more than its
//! instructions. Left out: what runs mean; `litmus.rs` compares them with the model.
//! Specification: none of its own.

use simt::{
    Buffer, Checks, Emulator, Fault, FaultKind, Launch, Limits, Module, Reconvergence, Schedule, Severity,
};

use crate::program::{Outcome, Program};
use crate::ptx::render;

/// A program that is ready to run.
pub struct Bench {
    emulator: Emulator,
    module: Module,
    memory: Buffer,
    results: Buffer,
    registers: usize,
    launch: Launch,
}

/// What a run did.
pub struct Run {
    /// How it ended.
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
        let registers: usize = program.threads.iter().map(|thread| thread.registers()).sum();
        let memory = emulator.alloc("words", 4 * program.locations() as u64).unwrap();
        let results = emulator.alloc("results", 4 * registers.max(1) as u64).unwrap();
        let most = |place: fn(&crate::program::Place) -> u32| {
            1 + program.threads.iter().map(|thread| place(&thread.place)).max().unwrap_or(0)
        };
        let launch = Launch::new(most(|place| place.block), 32 * most(|place| place.warp));
        let mut launch = launch.arg(memory.address()).arg(results.address());
        launch.reconvergence = Reconvergence::Its;
        launch.max_steps = 100_000;
        Bench { emulator, module, memory, results, registers, launch }
    }

    /// Has weak memory switched on or off.
    #[must_use]
    pub fn weak_memory(mut self, on: bool) -> Bench {
        self.launch.weak_memory = on;
        self
    }

    /// Has all checkers watch.
    #[must_use]
    pub fn checked(mut self) -> Bench {
        self.launch.checks = Checks::ALL;
        self
    }

    /// Runs it once.
    pub fn run(&mut self, seed: u64, schedule: Schedule) -> Run {
        self.emulator.write(self.memory).fill(0);
        self.emulator.write(self.results).fill(0);
        self.launch.seed = seed;
        self.launch.schedule = schedule;
        let report = self.emulator.launch(&self.module, "litmus", &self.launch);
        let report = report.unwrap_or_else(|error| panic!("{error}"));
        let errors = report.faults.into_iter().filter(|fault| fault.severity == Severity::Error);
        let (races, others): (Vec<Fault>, Vec<Fault>) =
            errors.partition(|fault| fault.kind == FaultKind::Race);
        assert!(others.is_empty(), "seed {seed}, {schedule:?}: {}", others[0]);
        let results = self.emulator.read(self.results).chunks_exact(4).take(self.registers);
        let memory = self.emulator.read(self.memory).chunks_exact(4);
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        Run { outcome: results.chain(memory).map(word).collect(), races }
    }
}
