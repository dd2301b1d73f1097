//! For the author of a fuzzer: runs a kernel with random inputs under random schedules, reports each new fault, and says how
//! to repeat the run. `cargo run --example fuzz` searches; `cargo run --example fuzz -- 17` repeats the run with seed 17.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write;
use std::ops::Range;

use simt::{Checks, Emulator, Launch, Limits, Schedule, Severity};

const THREADS: u32 = 32;

/// Runs the kernel once with each seed, and returns a text with every fault that was not seen before.
pub fn search(seeds: Range<u64>) -> Result<String, Box<dyn Error>> {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("histogram.ptx", include_str!("histogram.ptx"))?;
    let data = emulator.alloc("data", u64::from(THREADS))?;
    let bins = emulator.alloc("bins", 16 * 4)?;
    // Every run begins with this snapshot, so that no run depends on those before it.
    let start = emulator.snapshot()?;
    let (mut seen, mut text) = (BTreeSet::new(), String::new());
    for seed in seeds {
        emulator.restore(&start)?;
        emulator.write(data)?.copy_from_slice(&input(seed));
        let launch =
            Launch { checks: Checks::ALL, schedule: Schedule::Random, seed, ..Launch::new(1, THREADS) };
        let launch = launch.arg(data.address()).arg(bins.address());
        let report = emulator.launch(&module, "histogram", &launch)?;
        for fault in report.faults.iter().filter(|fault| fault.severity == Severity::Error) {
            // Faults of one kind at the same lines count as one bug.
            let lines: Vec<u32> = fault.actors.iter().map(|actor| actor.site.ptx_line).collect();
            if seen.insert((fault.kind, lines)) {
                writeln!(text, "{fault}\n  replay: cargo run --example fuzz -- {seed}")?;
            }
        }
    }
    Ok(text)
}

/// Bytes derived from a seed: the upper bits of a linear congruential generator.
fn input(seed: u64) -> [u8; THREADS as usize] {
    let mut state = seed;
    std::array::from_fn(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let seed = std::env::args().nth(1).map(|seed| seed.parse()).transpose()?;
    print!("{}", search(seed.map_or(0..1000, |seed: u64| seed..seed + 1))?);
    Ok(())
}
