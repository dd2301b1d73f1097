//! The figures of chapter 3: lanes that wait for each other, the last five rounds of a sum, masks of a barrier.
//!
//! The other figures of the chapter are in [`races`] and [`barriers`].

mod barriers;
mod races;

use anyhow::{Context, Result, ensure};
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::progress::{CHAIN_AFTER, HANDSHAKE, LOCK_AFTER, LOCK_INSIDE};
use thirty_two_lanes::kernels::syncwarp::{MASK_DEFAULT, MASK_OUTSIDE, MASK_SEVEN_F, TAIL_SYNCWARP};
use thirty_two_lanes::report::layout::{counted, grouped};
use thirty_two_lanes::{Buffer, Launch, Random, Traced};

use crate::timeline::{is, literal};
use crate::warp::{LANES, Strip};
use crate::{Anchor, Figure, Fill, Mark, Sheet, Sources, Stroke, Tone};

pub const FIGURES: &[Figure] = &[
    Figure {
        name: "handshake_60",
        title: "Two halves of a warp with one program counter",
        draw: handshake_60,
    },
    Figure {
        name: "handshake_70",
        title: "Two halves of a warp with a program counter for each lane",
        draw: handshake_70,
    },
    Figure { name: "sides", title: "Which side of a branch draws first", draw: barriers::sides },
    Figure { name: "lock_progress", title: "Which lanes get what they wait for", draw: lock_progress },
    Figure { name: "tail_pairs", title: "Which lane reads which in the last five rounds", draw: tail_pairs },
    Figure { name: "tail_race", title: "One race in two orders", draw: races::tail_race },
    Figure {
        name: "mask_seven_f",
        title: "The lanes that a mask names, and the lanes that reach the barrier",
        draw: masks,
    },
    Figure { name: "race_seeds", title: "What twenty seeds show of a race", draw: races::race_seeds },
    Figure { name: "repair", title: "Loads, stores and barriers of two rounds", draw: barriers::repair },
    Figure { name: "waits", title: "Where lanes wait, and which have ended", draw: barriers::waits },
    Figure { name: "tile_race", title: "A tile with and without the barrier", draw: races::tile_race },
];

/// Iterations of a loop before a lane gives up, as in the chapter.
const PATIENCE: i32 = 20_000;

/// The integers that the chapter adds.
fn integers(n: usize) -> Vec<i32> {
    Random::new(0).words(n).iter().map(|word| (word % 1000) as i32).collect()
}

/// A line of a kernel's file, as much of it as fits.
fn source(kernel: &Kernel, line: u32, room: usize) -> String {
    let text = kernel.file.source.lines().nth(line as usize - 1).unwrap_or_default();
    let text = text.split("  //").next().unwrap_or_default().trim();
    if text.chars().count() <= room {
        text.to_owned()
    } else {
        text.chars().take(room - 1).chain(['…']).collect()
    }
}

fn handshake_60(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    handshake(sources, sheet, 60)
}

fn handshake_70(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    handshake(sources, sheet, 70)
}

/// Consecutive instructions of the same lanes for the same line.
struct Stretch {
    mask: u32,
    line: Option<u32>,
    instructions: u64,
}

fn stretches(trace: &[Traced]) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for step in trace {
        match stretches.last_mut() {
            Some(last) if last.mask == step.mask && (last.line == step.line || last.mask == u32::MAX) => {
                last.instructions += 1;
            }
            _ => stretches.push(Stretch { mask: step.mask, line: step.line, instructions: 1 }),
        }
    }
    stretches
}

fn handshake(sources: &mut Sources, sheet: &mut Sheet, arch: u32) -> Result<String> {
    let (flag, through) = (sources.zeroed::<i32>("flag", 2)?, sources.zeroed::<i32>("through", 32)?);
    let launch = Launch::new(&HANDSHAKE, 1, LANES).arch(arch)?.arg(flag).arg(through).arg(PATIENCE);
    let trace = sources.trace(&launch)?;
    let (_, through) = sources.trial(&launch, through)?;

    let strip = Strip::squares(4.0, 6.2);
    let text = strip.end() + 10.0;
    strip.numbers(sheet, 12.0);
    let mut y = 20.0;
    for Stretch { mask, line, instructions } in stretches(&trace) {
        // A loop takes longer than the line before it, but at this scale not 70,000 times as long.
        let height = 24.0 + 9.0 * (instructions as f64).log10().max(0.8);
        lanes_at_work(sheet, strip, y, height, mask);
        let described = match line {
            _ if mask == u32::MAX => "all together".to_owned(),
            Some(line) => source(&HANDSHAKE, line, 25),
            None => String::new(),
        };
        let tone = if mask == u32::MAX { Tone::Text } else { Tone::Mono };
        sheet.sized(text, y + 12.0, Anchor::Start, tone, 12.0, &described);
        sheet.left(text, y + 27.0, Tone::Dim, &counted(instructions, "instruction"));
        y += height + 3.0;
    }
    let through: Vec<bool> = through.iter().map(|&through| through == 1).collect();
    y += 4.0;
    outcome(sheet, strip, y, &through);
    let passed = through.iter().filter(|&&through| through).count();
    sheet.left(text, y + 6.0, Tone::Strong, &format!("{passed} of {LANES} saw the flag"));
    sheet.reach(y + 8.0);

    let most = stretches(&trace).iter().map(|stretch| stretch.instructions).max().unwrap_or_default();
    Ok(format!(
        "Time runs downwards, a column for each lane, kernel handshake built for sm_{arch}, one warp on the emulator. A bar is a \
         source line that the same lanes executed without a break; its height grows with the logarithm of its PTX \
         instructions. The longest stretch takes {} instructions. {passed} of {LANES} lanes see the other half's flag.",
        grouped(most)
    ))
}

/// A bar as wide as the lanes of a mask.
fn lanes_at_work(sheet: &mut Sheet, strip: Strip, y: f64, height: f64, mask: u32) {
    for lane in 0..LANES {
        if mask >> lane & 1 == 1 {
            sheet.rect([strip.lane(lane), y, strip.width(), height], Fill::On);
        } else {
            sheet.line(&[(strip.centre(lane), y), (strip.centre(lane), y + height)], Stroke::Grid);
        }
    }
}

/// A disc for each lane that got what it waited for, a cross for each that gave up.
fn outcome(sheet: &mut Sheet, strip: Strip, y: f64, through: &[bool]) {
    for (lane, &through) in (0..).zip(through) {
        let (mark, fill) = if through { (Mark::Disc, Fill::Good) } else { (Mark::Cross, Fill::Bad) };
        sheet.mark((strip.centre(lane), y + 2.0), 0.5 * strip.width(), mark, fill);
    }
}

/// A kernel, and the contents of its buffers before `through`.
type Waiting = (&'static Kernel, Vec<Vec<i32>>);

fn lock_progress(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let mut open = vec![0; 33];
    open[0] = 1;
    let waiting: [Waiting; 4] = [
        (&LOCK_AFTER, vec![vec![0], vec![0]]),
        (&CHAIN_AFTER, vec![open]),
        (&HANDSHAKE, vec![vec![0, 0]]),
        (&LOCK_INSIDE, vec![vec![0], vec![0]]),
    ];
    let strip = Strip::squares(52.0, 9.8);
    strip.numbers(sheet, 12.0);
    let mut y = 24.0;
    let mut described = Vec::new();
    for (kernel, before) in &waiting {
        sheet.sized(4.0, y + 10.0, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        y += 19.0;
        for arch in [60, 70] {
            let mut launch = Launch::new(kernel, 1, LANES).arch(arch)?;
            for words in before {
                launch = launch.arg(sources.upload("cell", words)?);
            }
            let through = sources.zeroed::<i32>("through", 32)?;
            let (_, through) = sources.trial(&launch.arg(through).arg(PATIENCE), through)?;
            let through: Vec<bool> = through.iter().map(|&through| through == 1).collect();
            let passed = through.iter().filter(|&&through| through).count();
            sheet.left(4.0, y + 9.0, Tone::Dim, &format!("sm_{arch}"));
            outcome(sheet, strip, y + 2.5, &through);
            sheet.right(
                396.0,
                y + 9.0,
                if passed == 32 { Tone::Text } else { Tone::Strong },
                &passed.to_string(),
            );
            described.push(format!("{kernel} for sm_{arch}: {passed}"));
            y += 18.0;
        }
        y += 9.0;
    }
    Ok(format!(
        "A mark for each of {LANES} lanes of one warp on the emulator: a disc if the lane got what it waited for, a cross if it \
         gave up after {} turns of its loop; on the right how many got it. {}.",
        grouped(PATIENCE as u64),
        described.join(", ")
    ))
}

/// The sum of a block by a kernel whose last rounds are those of one warp, and the buffer with the result.
fn tail(sources: &mut Sources, kernel: &'static Kernel, block: u32) -> Result<(Launch, Buffer<i32>, i32)> {
    let values = integers(block as usize);
    let (x, sum) = (sources.upload("x", &values)?, sources.zeroed::<i32>("sum", 1)?);
    let launch = Launch::new(kernel, 1, block).shared_bytes(4 * block);
    Ok((launch.arg(x).arg(sum).arg(block as i32), sum, values.iter().sum()))
}

/// The offset of each of the last rounds, and the lanes that add in that round.
fn rounds(trace: &[Traced]) -> Vec<(u32, u32)> {
    let mut offset = None;
    let mut rounds = Vec::new();
    for step in trace {
        if is(step, "add.s32") {
            // The instruction has the thread's number and the offset.
            offset = literal(&step.ptx).or(offset);
        } else if is(step, "ld.shared")
            && let Some((_, bytes)) = step.ptx.split_once("[part+")
        {
            // The last lane works alone, and the compiler knows the address of its partner.
            offset = bytes.trim_end_matches("];").parse().ok().map(|bytes: u32| bytes / 4);
        } else if is(step, "st.shared") {
            rounds.extend(offset.take().map(|offset| (offset, step.active)));
        }
    }
    rounds
}

fn tail_pairs(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let (launch, sum, exact) = tail(sources, &TAIL_SYNCWARP, LANES)?;
    let (_, got) = sources.trial(&launch, sum)?;
    ensure!(got[0] == exact, "the sum is {} and not {exact}", got[0]);
    let trace = sources.trace(&launch)?;
    let rounds = rounds(&trace);
    ensure!(rounds.len() == 5, "five rounds, and not {}", rounds.len());

    let strip = Strip::squares(62.0, 10.5);
    strip.numbers(sheet, 12.0);
    let mut y = 19.0;
    strip.mask(sheet, y, u32::MAX, Fill::On);
    for &(offset, adding) in &rounds {
        let from = y + strip.width() + 1.5;
        // The farther a value moves, the more space its line has.
        y += 30.0 + 1.6 * f64::from(offset);
        sheet.left(4.0, f64::midpoint(from, y) + 4.0, Tone::Text, &format!("offset {offset}"));
        for lane in (0..LANES).filter(|lane| adding >> lane & 1 == 1) {
            sheet.line(&[(strip.centre(lane + offset), from), (strip.centre(lane), y - 1.5)], Stroke::Arrow);
        }
        strip.mask(sheet, y, adding, Fill::On);
    }
    let lanes: Vec<String> =
        rounds.iter().map(|(offset, adding)| format!("{} at offset {offset}", adding.count_ones())).collect();
    Ok(format!(
        "Five rounds from top to bottom, a column for each lane of one warp, kernel tail_syncwarp on the emulator. Each line \
         goes from the lane that is read, above, to the lane that adds. Lanes that add: {}. Lane 0 ends with the sum, {}.",
        lanes.join(", "),
        grouped(got[0] as u64)
    ))
}

fn masks(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let strip = Strip::squares(62.0, 10.5);
    strip.numbers(sheet, 12.0);
    let mut y = 24.0;
    let mut described = Vec::new();
    for kernel in [&MASK_DEFAULT, &MASK_SEVEN_F, &MASK_OUTSIDE] {
        let (x, out) = (sources.upload("x", &integers(32))?, sources.zeroed::<i32>("y", 32)?);
        let launch = Launch::new(kernel, 1, LANES).arg(x).arg(out);
        let (run, _) = sources.trial(&launch, out)?;
        let trace = sources.trace(&launch)?;
        let barrier =
            trace.iter().find(|step| is(step, "bar.warp.sync")).context("no barrier of the warp")?;
        let (named, come) = (literal(&barrier.ptx).context("a mask that is no literal")?, barrier.active);
        let verdict = run.faults.first().map_or("ok", |fault| fault.kind.name());

        sheet.sized(4.0, y + 10.0, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        sheet.sized(230.0, y + 10.0, Anchor::Middle, Tone::Mono, 12.5, &format!("{named:#010x}"));
        let tone = if verdict == "ok" { Tone::Text } else { Tone::Strong };
        sheet.right(396.0, y + 10.0, tone, verdict);
        y += 18.0;
        sheet.left(4.0, y + 9.0, Tone::Dim, "named");
        strip.mask(sheet, y, named, Fill::On);
        y += 15.0;
        sheet.left(4.0, y + 9.0, Tone::Dim, "reach it");
        let wrong = come & !named;
        strip.cells(sheet, y, |lane| {
            let is_in = |mask: u32| mask >> lane & 1 == 1;
            Some(if is_in(wrong) {
                Fill::Bad
            } else if is_in(come) {
                Fill::On
            } else {
                Fill::Off
            })
        });
        y += 26.0;
        described.push(format!(
            "{kernel}: the mask {named:#010x} names {} lanes, {} reach the barrier, {verdict}",
            named.count_ones(),
            come.count_ones()
        ));
    }
    Ok(format!(
        "A column for each lane of one warp on the emulator; the upper strip is the mask in the PTX, the lower one the \
         lanes that reach the barrier. {}.",
        described.join("; ")
    ))
}
