//! Every kernel of the project, launched with arguments of the right types, no matter what it does with them.
//!
//! A pointer gets a buffer of a few KiB and a number gets a small number, so many kernels do their work and some fail
//! with a fault. Other tests check what they compute; these check that it is the same in all ways. The kernels of a
//! file run one after another on one emulator, so that each finds the variables as the kernel before it left them.

use std::fs;
use std::path::{Path, PathBuf};

use grader::{Exercise, Version};
use simt::launch::Hooks;
use simt::{
    Arg, Buffer, Checks, Dim3, Emulator, KernelInfo, Launch, Limits, Module, Reconvergence, Schedule,
};

use crate::run::{Outcome, Way, caught, launched, memory};
use test_support::Random;

/// The size of the buffer that a pointer gets.
const BUFFER_BYTES: u64 = 12 * 1024;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A text of PTX and its name.
pub type Named = (String, String);

/// The files below the repository's `folder` with the extension `ptx`.
pub fn files(folder: &str) -> Vec<Named> {
    let mut folders = vec![repository().join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("an entry").path();
            // What a learner writes into `exercises/mine` is not part of the project.
            if path.is_dir() && path.file_name().is_none_or(|name| name != "mine") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ptx") {
                files.push(path);
            }
        }
    }
    files.sort();
    let named =
        |path: PathBuf| (path.display().to_string(), fs::read_to_string(&path).expect("a file of text"));
    files.into_iter().map(named).collect()
}

/// What the exercises begin with, and their wrong versions. They are committed as CUDA, so `cudac` compiles them.
pub fn versions() -> Vec<Named> {
    let exercises = grader::all(&repository().join("exercises")).expect("the exercises");
    let compiled = |exercise: &Exercise, version: &Version| {
        let text = exercise.source().text(version);
        let ptx = if exercise.is_ptx() { text } else { grader::cudac(exercise, &text).expect("PTX").ptx };
        (format!("{}, {version}", exercise.name), ptx)
    };
    let of = |exercise: &Exercise| {
        let versions = exercise.versions().into_iter().filter(|version| *version != Version::Solution);
        versions.map(|version| compiled(exercise, &version)).collect::<Vec<_>>()
    };
    exercises.iter().flat_map(of).collect()
}

/// An emulator on which the kernels of a file run in one way.
pub struct Bench {
    emulator: Emulator,
    module: Module,
    way: Way,
}

impl Bench {
    pub fn new(name: &str, text: &str, way: Way) -> Bench {
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load(name, text).unwrap_or_else(|error| panic!("{error}"));
        Bench { emulator, module, way }
    }

    pub fn kernels(&self) -> Vec<KernelInfo> {
        self.module.kernels().to_vec()
    }

    /// Runs a kernel with the choices of a seed.
    pub fn run(&mut self, kernel: &KernelInfo, seed: u64, is_traced: bool) -> Outcome {
        let mut numbers = Random::new(seed);
        let launch = choices(&mut numbers, seed);
        let mut launch =
            Launch { hooks: Hooks::default().plain(self.way.plain), cores: self.way.cores, ..launch };
        let buffers = arguments(&mut numbers, &mut self.emulator, kernel, &mut launch);
        let outcome = caught(|| {
            let mut trace = Vec::new();
            let (emulator, module) = (&mut self.emulator, &self.module);
            let report = launched(emulator, module, &kernel.name, &launch, is_traced, &mut trace);
            let named =
                buffers.iter().enumerate().map(|(index, buffer)| (format!("buffer {index}"), *buffer));
            let memory = memory(&self.emulator, &self.module, named);
            Outcome { report: format!("{report:#?}"), memory, trace }
        });
        for buffer in buffers {
            self.emulator.free(buffer).unwrap();
        }
        outcome
    }
}

/// A launch without arguments; the first seeds are the most interesting ones.
pub fn choices(numbers: &mut Random, seed: u64) -> Launch {
    let flat = |size| Dim3::new(size, 1, 1);
    let (grid, block) = match seed % 6 {
        0 => (flat(5), flat(64)),
        1 => (flat(3), flat(100)),
        2 => (flat(2), Dim3::new(16, 8, 1)),
        3 => (Dim3::new(2, 3, 1), Dim3::new(8, 4, 1)),
        4 => (flat(2), flat(1024)),
        _ => (flat(17), flat(32)),
    };
    Launch {
        schedule: [Schedule::RoundRobin, Schedule::Random, Schedule::RoundRobin, Schedule::Hunt]
            [seed as usize % 4],
        reconvergence: if seed % 5 == 3 { Reconvergence::Its } else { Reconvergence::Auto },
        checks: if seed % 3 == 1 { Checks::ALL } else { Checks::NONE },
        weak_memory: seed % 11 == 7,
        shared_bytes: numbers.pick(&[0, 4096, 8192]),
        seed,
        resident_blocks: numbers.pick(&[16, 16, 2]),
        max_steps: numbers.pick(&[15_000, 15_000, 15_000, 500]),
        ..Launch::new(grid, block)
    }
}

/// Allocates the buffers and chooses the numbers that the kernel takes.
fn arguments(
    numbers: &mut Random,
    emulator: &mut Emulator,
    kernel: &KernelInfo,
    launch: &mut Launch,
) -> Vec<Buffer> {
    let threads = (launch.grid.count() * launch.block.count()) as u32;
    let mut buffers = Vec::new();
    for param in &kernel.params {
        let small = numbers.pick(&[threads, threads - 1, threads / 2, 64, 100, 32, 1, 7]);
        let arg = match (param.ty.as_str(), param.bytes) {
            ("f32", _) => (small as f32 / 16.0).into(),
            ("f64", _) => f64::from(small).into(),
            (_, 8) if !numbers.chance(5) => {
                let buffer = buffer(numbers, emulator);
                buffers.push(buffer);
                buffer.address().into()
            }
            (_, 8) => u64::from(small).into(),
            (_, 4) => small.into(),
            (_, bytes) => Arg::bytes(&vec![numbers.below(4) as u8; bytes as usize]),
        };
        launch.args.push(arg);
    }
    buffers
}

fn buffer(numbers: &mut Random, emulator: &mut Emulator) -> Buffer {
    match numbers.below(5) {
        0 => emulator.alloc("zeros", BUFFER_BYTES).unwrap(),
        1 => emulator.alloc_uninitialized("unwritten", BUFFER_BYTES).unwrap(),
        kind => {
            let buffer = emulator.alloc("values", BUFFER_BYTES).unwrap();
            for word in emulator.write(buffer).unwrap().chunks_exact_mut(4) {
                let small = numbers.below(100) as u32;
                let bits = if kind == 2 { (small as f32 / 8.0).to_bits() } else { small };
                word.copy_from_slice(&bits.to_le_bytes());
            }
            buffer
        }
    }
}
