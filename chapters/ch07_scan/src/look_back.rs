//! Looking back: the words through which blocks pass on their sums, and what these have to be like.
//!
//! Every kernel scans a few tiles, watched by all checkers, and then again in a weak memory under many seeds.
//! It leaves out in which order blocks start, which is the next section.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::scan_array::{
    SCAN_LOOK_BACK, SCAN_LOOK_BACK_FENCES, SCAN_LOOK_BACK_ONE_FENCE, SCAN_LOOK_BACK_TWO_VOLATILE,
    SCAN_LOOK_BACK_TWO_WORDS, SCAN_LOOK_BACK_VOLATILE, SCAN_LOOK_BACK_WARP,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP, LOAD_REQUESTS};
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Tolerance, Verdict, weak};

use crate::array::PER_THREAD;
use crate::numbers::{digits, scans};

/// Two warps, so that the block has barriers to wait at.
pub const BLOCK: u32 = 64;
pub const TILES: u32 = 24;
/// Tiles in a weak memory, where all stores are remembered.
const TILES_WEAK: u32 = 8;
pub const PATIENCE: i32 = 1_000_000;

/// How a kernel publishes: one word, or a flag and values.
#[derive(Clone, Copy, PartialEq)]
enum Words {
    One,
    Two,
}

/// The kernels, what they publish, and what the checkers and the weak memory are expected to find.
const KERNELS: [(&Kernel, Words, Verdict, Verdict); 7] = [
    (&SCAN_LOOK_BACK, Words::One, Verdict::Ok, Verdict::Ok),
    (&SCAN_LOOK_BACK_VOLATILE, Words::One, Verdict::Ok, Verdict::Ok),
    (&SCAN_LOOK_BACK_WARP, Words::One, Verdict::Ok, Verdict::Ok),
    (&SCAN_LOOK_BACK_TWO_WORDS, Words::Two, Verdict::Fault, Verdict::Wrong),
    (&SCAN_LOOK_BACK_TWO_VOLATILE, Words::Two, Verdict::Ok, Verdict::Wrong),
    (&SCAN_LOOK_BACK_ONE_FENCE, Words::Two, Verdict::Fault, Verdict::Wrong),
    (&SCAN_LOOK_BACK_FENCES, Words::Two, Verdict::Ok, Verdict::Ok),
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("does a block get the sums of the blocks before it? {TILES} tiles");
    lab.section("publish", &title, &[GLOBAL_ATOMICS, LOAD_REQUESTS, INSTRUCTIONS_PER_WARP]);
    for (kernel, words, expected, _) in KERNELS {
        lab.variant(kernel.name, |device| {
            let values = elements(TILES, seed);
            let (launch, y) = prepare(device, kernel, words, &values)?;
            let run = device.launch(&launch.seed(seed))?;
            let row = device.check(run, y, &scans(&values, values.len()), &Tolerance::Exact)?;
            Ok(row.expect(expected))
        })?;
    }
    lab.notice(races);
    lab.gpu_notice(on_the_gpu);
    Ok(())
}

pub fn weakly(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("the same in a weak memory: {TILES_WEAK} tiles, {} seeds", weak::MANY);
    lab.section("publish_weak", &title, &[GLOBAL_ATOMICS, LOAD_REQUESTS, INSTRUCTIONS_PER_WARP]);
    for (kernel, words, _, expected) in KERNELS {
        lab.variant(&weak::name(kernel), |device| {
            let values = elements(TILES_WEAK, seed);
            let (launch, y) = prepare(device, kernel, words, &values)?;
            let sums = scans(&values, values.len());
            let off = |got: &[i32]| {
                let off = got.iter().zip(&sums).filter(|&(&got, &sum)| got != sum as i32).count();
                off as f64
            };
            Ok(weak::seeds(device, &launch, y, weak::MANY, off)?.expect(expected))
        })?;
    }
    lab.notice(seeds);
    Ok(())
}

fn elements(tiles: u32, seed: u64) -> Vec<i32> {
    digits(tiles as usize * PER_THREAD * BLOCK as usize, seed)
}

/// A launch with its buffers, and the buffer for the scan.
fn prepare(
    device: &mut Device,
    kernel: &'static Kernel,
    words: Words,
    values: &[i32],
) -> Result<(Launch, Buffer<i32>)> {
    let tiles = values.len() / PER_THREAD / BLOCK as usize;
    let (x, y) = (device.upload("x", values)?, device.zeroed::<i32>("y", values.len())?);
    let launch = Launch::new(kernel, tiles as u32, BLOCK).arg(x).arg(y);
    let launch = match words {
        Words::One => launch.arg(device.zeroed::<u64>("states", tiles)?),
        Words::Two => {
            let flags = device.zeroed::<i32>("flags", tiles)?;
            launch.arg(flags).arg(device.zeroed::<i32>("values", 2 * tiles)?)
        }
    };
    let (tickets, gave_up) = (device.zeroed::<u32>("tickets", 1)?, device.zeroed::<i32>("gave_up", 1)?);
    Ok((launch.arg(tickets).arg(gave_up).arg(values.len() as i32).arg(PATIENCE), y))
}

fn races(section: &Section) -> Option<String> {
    let verdict = |kernel: &Kernel| Some(section.row(kernel.name)?.verdict.name());
    Some(format!(
        "In the emulator's ordinary memory every load returns the last store, so all results are right. The \
         checker judges by what orders the accesses: one word {}, two words without fences {}, with one fence \
         {}, with both {}. Volatile values are no race in PTX, and the verdict is {}; but nothing orders them \
         either.",
        verdict(&SCAN_LOOK_BACK)?,
        verdict(&SCAN_LOOK_BACK_TWO_WORDS)?,
        verdict(&SCAN_LOOK_BACK_ONE_FENCE)?,
        verdict(&SCAN_LOOK_BACK_FENCES)?,
        verdict(&SCAN_LOOK_BACK_TWO_VOLATILE)?,
    ))
}

/// How many of the wrong kernels nevertheless had the right result.
fn on_the_gpu(section: &Section) -> Option<String> {
    let is_wrong = |(_, _, _, weakly): &&(&Kernel, Words, Verdict, Verdict)| *weakly == Verdict::Wrong;
    let wrong = KERNELS.iter().filter(is_wrong);
    let right: Option<Vec<bool>> =
        wrong.map(|(kernel, ..)| Some(section.row(kernel.name)?.gpu_check.as_ref()?.is_right())).collect();
    let right = right?;
    Some(format!(
        "On the GPU, {} of the {} kernels that lack a fence gave the right scan in the run that was checked.",
        right.iter().filter(|right| **right).count(),
        right.len()
    ))
}

fn seeds(section: &Section) -> Option<String> {
    let wrong = |kernel: &Kernel| section.row(&weak::name(kernel))?.fact_value("seeds_wrong");
    Some(format!(
        "Of {} seeds, {} are wrong if flag and value share a word, atomic or volatile. With two words, {} are \
         wrong without fences, {} if both words are volatile, {} if only the writer has a fence, and {} with \
         both fences.",
        weak::MANY,
        wrong(&SCAN_LOOK_BACK)?.max(wrong(&SCAN_LOOK_BACK_VOLATILE)?),
        wrong(&SCAN_LOOK_BACK_TWO_WORDS)?,
        wrong(&SCAN_LOOK_BACK_TWO_VOLATILE)?,
        wrong(&SCAN_LOOK_BACK_ONE_FENCE)?,
        wrong(&SCAN_LOOK_BACK_FENCES)?,
    ))
}
