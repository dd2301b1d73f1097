//! Runs a launch in one of the ways that must have the same results, and returns these results.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use simt::launch::Hooks;
use simt::{Arg, Buffer, Emulator, Launch, LaunchError, Limits, Module, Report, TraceStep};

use crate::kernel::{BUFFERS, Kernel};
use test_support::Random;

/// A way to run a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    pub plain: bool,
    pub cores: u32,
    /// Whether blocks are distributed over the cores even if there are few of them.
    pub is_dealt: bool,
}

const fn way(plain: bool, cores: u32, is_dealt: bool) -> Way {
    Way { plain, cores, is_dealt }
}

/// The way with which all others are compared.
pub const PLAIN: Way = way(true, 1, false);

/// The ways in which the blocks of a small launch run on several cores.
pub const DEALT: [Way; 2] = [way(false, 3, true), way(true, 3, true)];

/// All other ways.
pub const OTHERS: [Way; 7] = [
    way(false, 1, false),
    way(false, 2, false),
    way(false, 8, false),
    way(true, 2, false),
    way(true, 8, false),
    DEALT[0],
    DEALT[1],
];

/// The results of a run: its report as text, and the bytes of each piece of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub report: String,
    pub memory: Vec<(String, Vec<u8>)>,
    pub trace: Vec<TraceStep>,
}

impl Outcome {
    /// The difference between the two in a few lines; `None` if they are the same.
    pub fn difference(&self, other: &Outcome) -> Option<String> {
        let mut text = String::new();
        if self.report != other.report {
            let mut lines = self.report.lines().zip(other.report.lines()).filter(|(one, two)| one != two);
            let none = (self.report.as_str(), other.report.as_str());
            let (one, two) = lines.next().unwrap_or(none);
            writeln!(text, "reports differ first in\n  {}\n  {}", one.trim(), two.trim()).unwrap();
        }
        for ((name, one), (_, two)) in self.memory.iter().zip(&other.memory) {
            let unequal: Vec<usize> = (0..one.len()).filter(|&place| one[place] != two[place]).collect();
            if let Some(&first) = unequal.first() {
                let word = |bytes: &[u8]| format!("{:02x?}", &bytes[first..bytes.len().min(first + 8)]);
                let (count, one, two) = (unequal.len(), word(one), word(two));
                writeln!(text, "`{name}` differs in {count} bytes, first at {first}: {one}, {two}").unwrap();
            }
        }
        if self.trace != other.trace {
            let mut steps = self.trace.iter().zip(&other.trace).filter(|(one, two)| one != two);
            let lengths = (self.trace.len(), other.trace.len());
            writeln!(text, "traces of {lengths:?} steps differ first in {:?}", steps.next()).unwrap();
        }
        (!text.is_empty()).then_some(text)
    }
}

/// Runs a kernel as often as it requires, with or without a trace.
pub fn run(kernel: &Kernel, way: Way, is_traced: bool) -> Outcome {
    caught(|| {
        let mut emulator = Emulator::new(Limits::default());
        let mut hooks = Hooks::default().plain(way.plain);
        if way.is_dealt {
            hooks = hooks.deal(kernel.launch.seed);
        }
        let module = emulator.load("random.ptx", &kernel.text()).unwrap_or_else(|error| panic!("{error}"));
        let launch = Launch { hooks, cores: way.cores, ..kernel.launch.clone() };
        let (launch, buffers) = arguments(kernel, &mut emulator, launch);
        let mut outcome = Outcome { report: String::new(), memory: Vec::new(), trace: Vec::new() };
        for time in 0..kernel.times {
            // What the launch before has written has an effect on what this one's checker finds.
            let mut launch = launch.clone();
            launch.checks.initialisation |= time > 0;
            let report = launched(&mut emulator, &module, "kernel", &launch, is_traced, &mut outcome.trace);
            writeln!(outcome.report, "{report:#?}").unwrap();
        }
        let buffers = BUFFERS.iter().zip(buffers).map(|(name, buffer)| ((*name).to_owned(), buffer));
        outcome.memory = memory(&emulator, &module, buffers);
        outcome
    })
}

/// Launches a kernel, and adds to the trace if one is requested.
pub fn launched(
    emulator: &mut Emulator,
    module: &Module,
    kernel: &str,
    launch: &Launch,
    is_traced: bool,
    trace: &mut Vec<TraceStep>,
) -> Result<Report, LaunchError> {
    if is_traced {
        return emulator.launch_traced(module, kernel, launch, &mut |step| trace.push(*step));
    }
    emulator.launch(module, kernel, launch)
}

/// The bytes of the buffers and of the module's variables.
pub fn memory(
    emulator: &Emulator,
    module: &Module,
    buffers: impl Iterator<Item = (String, Buffer)>,
) -> Vec<(String, Vec<u8>)> {
    let variables = module.variables().map(|(name, buffer)| (name.to_owned(), buffer));
    buffers.chain(variables).map(|(name, buffer)| (name, emulator.read(buffer).unwrap().to_vec())).collect()
}

/// The result, which may be a panic: that is a difference like any other.
pub fn caught(work: impl FnOnce() -> Outcome) -> Outcome {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Outcome { report: format!("panicked: {text:?}"), memory: Vec::new(), trace: Vec::new() }
    })
}

fn arguments(kernel: &Kernel, emulator: &mut Emulator, mut launch: Launch) -> (Launch, Vec<Buffer>) {
    let mut numbers = Random::new(launch.seed);
    let mut buffers = Vec::new();
    for (name, bytes) in BUFFERS.into_iter().zip(kernel.bytes) {
        let buffer = if name == "scratch" && !kernel.has_ramp {
            emulator.alloc_uninitialized(name, bytes).unwrap()
        } else {
            emulator.alloc(name, bytes).unwrap()
        };
        if name == "data" {
            for word in emulator.write(buffer).unwrap().chunks_exact_mut(8) {
                // Usually small numbers, so that they can serve as indices and counts.
                let bits = numbers.bits();
                let bits = if bits.is_multiple_of(4) { bits } else { bits & 0x0000_003f_0000_00ff };
                word.copy_from_slice(&bits.to_le_bytes());
            }
        }
        if name == "scratch" && kernel.has_ramp {
            for (number, word) in (0_u32..).zip(emulator.write(buffer).unwrap().chunks_exact_mut(4)) {
                word.copy_from_slice(&(number * 3).to_le_bytes());
            }
        }
        buffers.push(buffer);
        launch.args.push(buffer.address().into());
    }
    launch.args.extend(kernel.numbers.map(Arg::from));
    let structure: Vec<u8> = (0..8).flat_map(|_| numbers.bits().to_le_bytes()).collect();
    launch.args.push(Arg::bytes(&structure));
    (launch, buffers)
}
