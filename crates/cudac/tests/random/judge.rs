//! Compiles a program, runs it in the emulator, and compares what it leaves with what the tree says.

use simt::{Checks, Emulator, Launch, Limits};

use crate::evaluate::{Outcome, input, own};
use crate::tree::{INPUTS, OWN, Program, RESULTS, TOTAL, TOTALS};

/// What is wrong, in a word that stays the same while a program gets smaller, and in full.
#[derive(Clone, Debug)]
pub struct Failure {
    pub kind: String,
    pub told: String,
}

fn failure(kind: &str, told: impl std::fmt::Display) -> Failure {
    Failure { kind: kind.to_owned(), told: told.to_string() }
}

/// A message without the names in it, which change while a program gets smaller.
fn without_names(message: &str) -> String {
    message.split('`').step_by(2).collect()
}

/// Compiles with this crate and compares.
pub fn judge(program: &Program, wanted: &Outcome) -> Result<(), Failure> {
    let text = crate::text::text(program);
    let source = cudac::Source { name: "random.cu", text: &text };
    let output = std::panic::catch_unwind(|| cudac::compile(&source, &cudac::Options::default()))
        .map_err(|_| failure("the compiler panics", "see above"))?
        .map_err(|errors| failure(&without_names(&errors.0[0].message), &errors))?;
    compare(program, &output.ptx, wanted)
}

/// Compiles with NVIDIA's compiler and compares: what C++ leaves open would show here too.
pub fn judge_with(compiler: &nvrtc::Compiler, program: &Program, wanted: &Outcome) -> Result<(), Failure> {
    let text = crate::text::text(program);
    let source = nvrtc::Source { name: "random.cu", text: &text };
    let ptx = compiler
        .compile(&source, &nvrtc::Options::optimised(70))
        .map_err(|error| failure("NVIDIA's compiler refuses it", error))?;
    compare(program, &ptx, wanted)
}

/// Runs a program's PTX and compares.
pub fn compare(program: &Program, ptx: &str, wanted: &Outcome) -> Result<(), Failure> {
    let found = run(program, ptx)?;
    let (blocks, threads) = (program.blocks, program.threads);
    let whose = |at: usize, each: usize| {
        let thread = at / each;
        format!("thread {} of block {}, number {}", thread % threads, thread / threads, at % each)
    };
    assert_eq!(found.integers.len(), blocks * threads * RESULTS);
    for (at, (found, wanted)) in found.integers.iter().zip(&wanted.integers).enumerate() {
        if found != wanted {
            let told = format!("{}: {} instead of {}", whose(at, RESULTS), *found as i64, *wanted as i64);
            return Err(failure("an integer differs", told));
        }
    }
    for (at, (found, wanted)) in found.floats.iter().zip(&wanted.floats).enumerate() {
        if found.to_bits() != wanted.to_bits() && !(found.is_nan() && wanted.is_nan()) {
            let told = format!("{}: {found:?} instead of {wanted:?}", whose(at, RESULTS));
            return Err(failure("a float differs", told));
        }
    }
    for (at, (found, wanted)) in found.own.iter().zip(&wanted.own).enumerate() {
        if found != wanted {
            return Err(failure(
                "memory differs",
                format!("{}: {found} instead of {wanted}", whose(at, OWN)),
            ));
        }
    }
    if found.totals != wanted.totals {
        return Err(failure("a total differs", format!("{:?} instead of {:?}", found.totals, wanted.totals)));
    }
    Ok(())
}

fn run(program: &Program, ptx: &str) -> Result<Outcome, Failure> {
    fn refused(error: impl std::fmt::Display) -> Failure {
        failure("the emulator refuses the PTX", error)
    }
    let threads = program.blocks * program.threads;
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("random.ptx", ptx).map_err(refused)?;
    let inputs: Vec<u8> = (0..INPUTS).flat_map(|at| input(at).to_le_bytes()).collect();
    let owns: Vec<u8> = (0..threads * OWN).flat_map(|at| own(at / OWN, at % OWN).to_le_bytes()).collect();
    let x = emulator.alloc("x", inputs.len() as u64).map_err(refused)?;
    let y = emulator.alloc("y", (8 * RESULTS * threads) as u64).map_err(refused)?;
    let g = emulator.alloc("g", (8 * RESULTS * threads) as u64).map_err(refused)?;
    let z = emulator.alloc("z", owns.len() as u64).map_err(refused)?;
    let total = emulator.alloc("total", (4 * TOTALS) as u64).map_err(refused)?;
    for (buffer, bytes) in [
        (x, inputs),
        (y, vec![0; 8 * RESULTS * threads]),
        (g, vec![0; 8 * RESULTS * threads]),
        (z, owns),
        (total, TOTAL.to_le_bytes().repeat(TOTALS)),
    ] {
        emulator.write(buffer).map_err(refused)?.copy_from_slice(&bytes);
    }
    let mut launch = Launch::new(program.blocks as u32, program.threads as u32)
        .arg(x.address())
        .arg(y.address())
        .arg(g.address())
        .arg(z.address())
        .arg(total.address())
        .arg(program.n as u32);
    launch.checks = Checks::ALL;
    let report = emulator.launch(&module, "kernel", &launch).map_err(refused)?;
    if let Some(fault) = report.faults.first() {
        return Err(failure("the emulator reports a fault", format!("{fault:?}")));
    }
    let read = |buffer| emulator.read(buffer).map(<[u8]>::to_vec).map_err(refused);
    Ok(Outcome {
        integers: words(&read(y)?, u64::from_le_bytes),
        floats: words(&read(g)?, f64::from_le_bytes),
        own: words(&read(z)?, i32::from_le_bytes),
        totals: words(&read(total)?, u32::from_le_bytes),
    })
}

fn words<const N: usize, T>(bytes: &[u8], from: fn([u8; N]) -> T) -> Vec<T> {
    bytes.chunks_exact(N).map(|word| from(word.try_into().expect("of this length"))).collect()
}
