//! Every kernel of the chapter on the emulator, at the note's own size: 10,240,000 elements in blocks of 64.
//!
//! `cargo bench -p ch01_divergence` prints how long each takes; BENCHMARKS.md has the results. The long loops have one
//! iteration, because their length is a parameter and not part of the kernel. Results are not compared here; the
//! chapter does that.

use std::time::Instant;

use anyhow::{Result, ensure};
use thirty_two_lanes::kernels::{boundary, branch, divergence, predication, sorting};
use thirty_two_lanes::launch::Argument;
use thirty_two_lanes::{Buffer, Choice, Device, Launch, Random, kernel::Kernel};

const NOTE_SIZE: usize = 10_240_000;
const BLOCK: u32 = 64;
/// The size for `cargo bench -- --test`, which only checks that everything runs.
const TEST_SIZE: usize = 10_240;
/// The number of threads that build the lists.
const BUILDERS: usize = 512;
const THRESHOLD: u32 = 1 << 28;
const ROUNDS: i32 = 1;

/// The arrays that the kernels work on.
struct Arrays {
    words: Buffer<u32>,
    numbers: Buffer<f32>,
    indices: Buffer<i32>,
    result: Buffer<f32>,
    places: [Buffer<i32>; 2],
    lists: [Buffer<i32>; 2],
    counts: Buffer<i32>,
}

fn main() -> Result<()> {
    let n = if std::env::args().any(|arg| arg == "--test") { TEST_SIZE } else { NOTE_SIZE };
    let mut device = Device::open(Choice::Sim)?;
    let arrays = arrays(&mut device, n)?;
    println!("{n} elements, blocks of {BLOCK}\n{:<24} {:>12} {:>16} {:>8}", "", "build", "PTX", "seconds");
    // One build after the other, because each needs lists of its own.
    for build in ["sm_70", "sm_70-debug"] {
        for (kernel, args) in cases(&arrays, n) {
            time(&mut device, Launch::cover(kernel, threads(kernel, n), BLOCK), &args, build)?;
        }
        picture(&mut device, &arrays, n, build)?;
    }
    Ok(())
}

/// The number of threads for a kernel: few build the lists, and one computes the places in them.
fn threads(kernel: &Kernel, n: usize) -> usize {
    match kernel.name {
        "count_lists" | "fill_lists" => BUILDERS,
        "place_lists" => 1,
        _ => n,
    }
}

fn arrays(device: &mut Device, n: usize) -> Result<Arrays> {
    let mut random = Random::new(0);
    let words = random.words(n);
    let numbers: Vec<f32> = words.iter().map(|&word| word as i32 as f32).collect();
    let indices: Vec<i32> = words.iter().map(|&word| (word % (2 * n as u32)) as i32 - n as i32).collect();
    Ok(Arrays {
        words: device.upload("words", &words)?,
        numbers: device.upload("numbers", &numbers)?,
        indices: device.upload("indices", &indices)?,
        result: device.zeroed("result", n)?,
        places: [device.zeroed("simple_places", BUILDERS)?, device.zeroed("expensive_places", BUILDERS)?],
        lists: [device.zeroed("simple", n)?, device.zeroed("expensive", n)?],
        counts: device.zeroed("counts", 2)?,
    })
}

fn cases(a: &Arrays, n: usize) -> Vec<(&'static Kernel, Vec<Argument>)> {
    let n = n as i32;
    let map = || vec![a.numbers.into(), a.result.into(), n.into()];
    let rounds = || vec![a.words.into(), a.result.into(), ROUNDS.into(), n.into()];
    let mut cases: Vec<(&'static Kernel, Vec<Argument>)> = vec![
        (&divergence::MATH_EVEN_THREAD, vec![a.result.into(), n.into()]),
        (&divergence::MATH_EVEN_WARP, vec![a.result.into(), n.into()]),
        (&divergence::MATH_TWO_IFS, vec![a.result.into(), n.into()]),
        (&divergence::MATH_PRECEDENCE, vec![a.result.into(), n.into()]),
        (&divergence::MATH_PRECEDENCE_FIXED, vec![a.result.into(), n.into()]),
        (&divergence::MATH_UNGUARDED, vec![a.result.into()]),
        (&branch::BRANCH_SQRT, map()),
        (&branch::GUARDED_LOAD, vec![a.indices.into(), a.numbers.into(), a.result.into(), n.into()]),
        (
            &branch::SELECT_MERGE,
            vec![a.words.into(), a.numbers.into(), a.indices.into(), a.result.into(), n.into()],
        ),
        (&branch::UNIFORM_CONDITION, vec![1_i32.into(), a.numbers.into(), a.result.into(), n.into()]),
        (&branch::EXPENSIVE_ONE_LANE, rounds()),
        (&branch::EXPENSIVE_PACKED, rounds()),
        (&branch::WORST_CASE_SWITCH, rounds()),
        (&branch::WORST_CASE_TOGETHER, rounds()),
        (&boundary::ADD_GUARDED, vec![a.numbers.into(), a.words.into(), a.result.into(), n.into()]),
        (
            &sorting::PROCESS_MIXED,
            vec![a.words.into(), a.result.into(), THRESHOLD.into(), ROUNDS.into(), n.into()],
        ),
    ];
    cases.extend(lists(a, n));
    cases.extend(BODIES.map(|kernel| (kernel, map())));
    cases
}

/// The kernels that build and use the lists, in order.
fn lists(a: &Arrays, n: i32) -> [(&'static Kernel, Vec<Argument>); 5] {
    let (words, result, counts) = (a.words.into(), a.result.into(), a.counts.into());
    let [simple_places, expensive_places] = a.places.map(Argument::from);
    let [simple, expensive] = a.lists.map(Argument::from);
    let of = |args: &[&Argument]| args.iter().copied().cloned().collect::<Vec<_>>();
    let (n, threshold, rounds) = (n.into(), THRESHOLD.into(), ROUNDS.into());
    let builders = (BUILDERS as i32).into();
    let (words, result, counts): (&Argument, &Argument, &Argument) = (&words, &result, &counts);
    [
        (&sorting::COUNT_LISTS, of(&[words, &threshold, &simple_places, &expensive_places, &n])),
        (&sorting::PLACE_LISTS, of(&[&simple_places, &expensive_places, counts, &builders])),
        (
            &sorting::FILL_LISTS,
            of(&[words, &threshold, &simple_places, &expensive_places, &simple, &expensive, &n]),
        ),
        (&sorting::PROCESS_SIMPLE, of(&[words, result, &simple, counts])),
        (&sorting::PROCESS_EXPENSIVE, of(&[words, result, &expensive, counts, &rounds])),
    ]
}

static BODIES: [&Kernel; 12] = [
    &predication::BODY_1,
    &predication::BODY_2,
    &predication::BODY_4,
    &predication::BODY_8,
    &predication::BODY_16,
    &predication::BODY_32,
    &predication::MERGE_1,
    &predication::MERGE_2,
    &predication::MERGE_4,
    &predication::MERGE_8,
    &predication::MERGE_16,
    &predication::MERGE_32,
];

/// The only kernel in two dimensions: a picture with as many points as the arrays have elements, as square as its width
/// allows.
fn picture(device: &mut Device, a: &Arrays, n: usize, build: &str) -> Result<()> {
    let width = 3200.min(n as u32);
    let height = n as u32 / width;
    let args = [a.numbers.into(), a.result.into(), (width as i32).into(), (height as i32).into()];
    let grid = (width.div_ceil(16), height.div_ceil(16));
    time(device, Launch::new(&boundary::BRIGHTEN_GUARDED, grid, (16, 16)), &args, build)
}

fn time(device: &mut Device, launch: Launch, args: &[Argument], build: &str) -> Result<()> {
    let launch = if build.ends_with("debug") { launch.debug()? } else { launch };
    let launch = args.iter().cloned().fold(launch, Launch::arg).unchecked();
    let start = Instant::now();
    let run = device.launch(&launch)?;
    let seconds = start.elapsed().as_secs_f64();
    ensure!(run.faults.is_empty(), "`{launch}` is at fault");
    println!("{:<24} {build:>12} {:>16} {seconds:>8.2}", launch.kernel, run.counters.ptx_instructions);
    Ok(())
}
