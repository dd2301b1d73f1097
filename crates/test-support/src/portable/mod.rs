//! Launches whose results are the same on every platform.
//!
//! The library is compiled for the machine that runs the tests and for WebAssembly, and `crates/simt/tests/node.rs` compares
//! the results. It runs kernels of the book. The last two of them are wrong, so that faults are compared too.

use std::fmt::Write;

use simt::{Checks, Emulator, Launch, Limits, MemoryError, Schedule};

#[cfg(target_family = "wasm")]
mod exports;

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
enum Given {
    /// A buffer of that many words, which hold small floats.
    Floats(u64),
    /// A buffer of that many words, which hold small integers.
    Integers(u64),
    /// A buffer of that many words, all zero.
    Zeros(u64),
    Int(i32),
    Float(f32),
}

use Given::{Float, Floats, Int, Integers, Zeros};

/// A kernel with its arguments and how it is launched.
struct Case {
    kernel: &'static str,
    ptx: &'static str,
    launch: Launch,
    arguments: &'static [Given],
}

macro_rules! ptx {
    ($name:literal) => {
        include_str!(concat!("../../../../kernels/ptx/", $name, ".sm_70.ptx"))
    };
}

fn cases() -> [Case; 6] {
    let watched = |launch: Launch| Launch { checks: Checks::ALL, seed: 5, ..launch };
    // With this seed a load returns an older store.
    let weak =
        Launch { seed: 3, weak_memory: true, schedule: Schedule::Random, ..watched(Launch::new(2, 32)) };
    [
        Case {
            kernel: "saxpy",
            ptx: ptx!("saxpy"),
            launch: Launch { cores: 2, ..Launch::new(200, 96) },
            arguments: &[Float(1.5), Floats(19_000), Floats(19_000), Int(19_000)],
        },
        Case {
            kernel: "float_fast",
            ptx: ptx!("features_arithmetic"),
            launch: watched(Launch::new(1, 64)),
            arguments: &[Floats(64), Floats(64), Zeros(6 * 64)],
        },
        Case {
            kernel: "reduce_interleaved",
            ptx: ptx!("reduction"),
            launch: watched(Launch::new(8, 128)),
            arguments: &[Integers(1000), Zeros(8), Int(1000)],
        },
        Case {
            kernel: "jacobi_tile",
            ptx: ptx!("laplace"),
            launch: watched(Launch { shared_bytes: 18 * 18 * 4, ..Launch::new((2, 2), (16, 16)) }),
            // Rows of 32 points with a margin of 8 floats on both sides, and a row above and below.
            arguments: &[Int(48), Floats(48 * 34), Zeros(48 * 34)],
        },
        Case {
            kernel: "warp_tree_unguarded",
            ptx: ptx!("races"),
            launch: watched(Launch::new(1, 32)),
            arguments: &[Integers(32), Zeros(1)],
        },
        Case {
            kernel: "message_no_fence",
            ptx: ptx!("messages"),
            launch: weak,
            arguments: &[Zeros(1), Zeros(1), Zeros(2), Int(1_000_000)],
        },
    ]
}

/// What all launches report and leave in memory: faults, counters, and every byte.
pub fn results() -> String {
    let mut text = String::new();
    for case in cases() {
        run(&case, &mut text);
    }
    text
}

fn run(case: &Case, text: &mut String) {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load(case.kernel, case.ptx).expect("the kernels of the book can be read");
    let (mut launch, mut buffers) = (case.launch.clone(), Vec::new());
    for (number, &given) in case.arguments.iter().enumerate() {
        let (words, word): (u64, fn(u32) -> u32) = match given {
            Int(value) => {
                launch = launch.arg(value);
                continue;
            }
            Float(value) => {
                launch = launch.arg(value);
                continue;
            }
            Floats(words) => (words, |index| (index as f32 * 0.37 - 40.0).to_bits()),
            Integers(words) => (words, |index| index % 97),
            Zeros(words) => (words, |_| 0),
        };
        let buffer = emulator.alloc(&format!("buffer {number}"), 4 * words).expect("it is small");
        let bytes = emulator.write(buffer).expect("it was allocated here");
        for (index, bytes) in (0..).zip(bytes.chunks_exact_mut(4)) {
            bytes.copy_from_slice(&word(index).to_le_bytes());
        }
        launch = launch.arg(buffer.address());
        buffers.push(buffer);
    }
    let report = emulator.launch(&module, case.kernel, &launch);
    writeln!(text, "{}: {report:#?}", case.kernel).expect("a string grows");
    for buffer in buffers {
        let bytes = emulator.read(buffer).expect("it was allocated here");
        writeln!(text, "{bytes:02x?}").expect("a string grows");
    }
}

/// The answers to requests that a 32-bit machine cannot fulfil: 5 GiB do not fit into its `usize`, and no allocation on
/// it can have 3 GiB.
pub fn large() -> String {
    let mut emulator = Emulator::new(Limits { memory_bytes: 16 << 30 });
    let mut answers: Vec<String> = Vec::new();
    for bytes in [5 << 30, 3 << 30] {
        answers.push(match emulator.alloc("large", bytes) {
            Ok(buffer) => format!("granted {} bytes", buffer.bytes()),
            Err(MemoryError::OutOfMemory { wanted, .. }) => format!("refused {wanted} bytes"),
            Err(error) => format!("another error: {error}"),
        });
    }
    let module = emulator.load("large.ptx", ".version 8.0 .target sm_70 .global .b8 large[5368709120];");
    answers.push(module.map_or_else(|error| error.message, |_| "loaded".to_owned()));
    answers.join("\n")
}
