//! The figures of chapter 3 about which lanes reach a barrier, which side of a branch runs first, and where in a round
//! a barrier has to be.
//!
//! What the lanes compute is left out.

use anyhow::{Context, Result, ensure};
use simt::Severity;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::syncwarp::{
    SIDES, SIDES_IN_ORDER, TAIL_FIXED, TAIL_UNGUARDED, TAIL_UNUSED_REGISTER, WAIT_APART, WAIT_TOGETHER,
    WAIT_WITHOUT_EXITED,
};
use thirty_two_lanes::{Launch, Traced};

use super::integers;
use crate::timeline::{is, legend};
use crate::warp::{LANES, Strip};
use crate::{Anchor, Fill, Mark, Sheet, Sources, Stroke, Tone};

/// The place of the strips in these figures, with space for a word on the left.
const STRIP: Strip = Strip::squares(62.0, 10.5);

/// A word and a strip of lanes.
fn row(sheet: &mut Sheet, y: &mut f64, word: &str, mask: u32, fill: Fill) {
    sheet.left(4.0, *y + 9.0, Tone::Dim, word);
    STRIP.mask(sheet, *y, mask, fill);
    *y += 15.0;
}

/// A kernel's name above its strips, and its result.
fn heading(sheet: &mut Sheet, y: &mut f64, name: &str, verdict: &str, is_well: bool) {
    sheet.sized(4.0, *y + 10.0, Anchor::Start, Tone::Mono, 12.5, name);
    sheet.right(396.0, *y + 10.0, if is_well { Tone::Text } else { Tone::Strong }, verdict);
    *y += 18.0;
}

/// Which side draws first, in both kernels and for both halves of the warp.
pub fn sides(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    STRIP.numbers(sheet, 12.0);
    let mut y = 24.0;
    let mut described = Vec::new();
    for kernel in [&SIDES, &SIDES_IN_ORDER] {
        for true_lanes in [0x0000_ffff_u32, 0xffff_0000] {
            let (turn, drawn) = (sources.zeroed::<u32>("turn", 1)?, sources.zeroed::<u32>("drawn", 32)?);
            let launch = Launch::new(kernel, 1, LANES).arg(turn).arg(drawn).arg(true_lanes);
            let (_, drawn) = sources.trial(&launch, drawn)?;
            let first = (0..).zip(&drawn).filter(|&(_, &number)| number < LANES / 2);
            let first: u32 = first.map(|(lane, _): (u32, _)| 1 << lane).sum();
            ensure!(first.count_ones() == LANES / 2, "{kernel} mixes the sides: {first:#010x}");
            let is_true = first == true_lanes;
            let verdict = if is_true { "the true side first" } else { "the other side first" };
            heading(sheet, &mut y, kernel.name, verdict, is_true);
            row(sheet, &mut y, "true for", true_lanes, Fill::C);
            row(sheet, &mut y, "first", first, Fill::On);
            row(sheet, &mut y, "second", !first, Fill::On);
            y += 11.0;
            described.push(format!("{kernel}, true for {true_lanes:#010x}: {first:#010x} first, {verdict}"));
        }
    }
    Ok(format!(
        "A column for each of {LANES} lanes of one warp on the emulator. For each run three strips: the lanes for which the \
         condition holds, those that draw the numbers 0 to 15, and those that draw 16 to 31. {}.",
        described.join("; ")
    ))
}

/// The lanes that executed an instruction with this opcode.
fn lanes_at(trace: &[Traced], operation: &str) -> u32 {
    trace.iter().filter(|step| is(step, operation)).fold(0, |lanes, step| lanes | step.active)
}

/// The lanes that reach the barrier of the block, those that wait at the barrier of the warp, and those that have
/// ended.
pub fn waits(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    STRIP.numbers(sheet, 12.0);
    let mut y = 24.0;
    let mut described = Vec::new();
    for kernel in [&WAIT_APART, &WAIT_WITHOUT_EXITED, &WAIT_TOGETHER] {
        let (x, out) = (sources.upload("x", &integers(32))?, sources.zeroed::<i32>("y", 32)?);
        let launch = Launch::new(kernel, 1, LANES).arg(x).arg(out);
        let (run, _) = sources.trial(&launch, out)?;
        let trace = sources.trace(&launch)?;
        let fault = run.faults.first();
        let is_well = fault.is_none_or(|fault| fault.severity == Severity::Warning);
        let verdict = match fault {
            None => "ok".to_owned(),
            Some(_) if is_well => "a warning".to_owned(),
            Some(fault) => fault.kind.name().to_owned(),
        };
        let block = lanes_at(&trace, "bar.sync");
        let first = trace.iter().position(|step| is(step, "bar.sync")).context("no barrier of the block")?;
        // Until the lanes at the barrier continue, if they do.
        let onward = trace[first..].iter().position(|step| step.mask & block != 0 && !is(step, "bar.sync"));
        let (waiting, later) = trace.split_at(onward.map_or(trace.len(), |at| first + at));
        let warp = lanes_at(waiting, "bar.warp.sync") & !block;
        // If a branch sends a lane to the end of the kernel, the emulator ends the lane at once.
        let ended = later.iter().fold(!(block | warp), |ended, step| ended & !step.mask);
        let places = [("block", block), ("warp", warp), ("ended", ended)];
        heading(sheet, &mut y, kernel.name, &verdict, is_well);
        let mut words = Vec::new();
        for (place, lanes) in places.into_iter().filter(|&(_, lanes)| lanes != 0) {
            let fill = match place {
                "ended" => Fill::C,
                _ if is_well => Fill::Good,
                _ => Fill::Bad,
            };
            row(sheet, &mut y, place, lanes, fill);
            words.push(format!("{place} {lanes:#010x}"));
        }
        y += 11.0;
        described.push(format!("{kernel}: {}, {verdict}", words.join(", ")));
    }
    Ok(format!(
        "A column for each of {LANES} lanes of one warp on the emulator, and a strip for each place where lanes are while \
         some of them wait at the barrier of the block: there, at the barrier of the warp, or ended. {}.",
        described.join("; ")
    ))
}

/// A step of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A load of the lane's own sum.
    Own,
    /// A load of its partner's sum.
    Partner,
    Store,
    Barrier,
}

/// The steps of the last rounds, which come after the barrier of the block.
fn steps(trace: &[Traced]) -> Vec<Step> {
    let place = |step: &Traced| step.ptx.split(['[', ']']).nth(1).map(str::to_owned);
    let after = trace.iter().rposition(|step| is(step, "bar.sync")).map_or(0, |at| at + 1);
    let own = trace.iter().rev().find(|step| is(step, "st.shared")).and_then(place);
    let step = |step: &Traced| {
        if is(step, "bar.warp.sync") {
            Some(Step::Barrier)
        } else if is(step, "st.shared") {
            Some(Step::Store)
        } else if is(step, "ld.shared") {
            Some(if place(step) == own { Step::Own } else { Step::Partner })
        } else {
            None
        }
    };
    trace[after..].iter().filter_map(step).collect()
}

/// Whether there is no barrier between a store and the last load of a partner's sum before it.
fn races(before: &[Step]) -> bool {
    before.iter().rev().find(|step| matches!(step, Step::Barrier | Step::Partner)) == Some(&Step::Partner)
}

/// How many rounds are drawn.
const ROUNDS: usize = 2;

/// The loads, stores and barriers of the first of the last rounds, in order.
pub fn repair(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let mut y = 14.0;
    let mut described = Vec::new();
    for kernel in [&TAIL_UNGUARDED, &TAIL_UNUSED_REGISTER, &TAIL_FIXED] {
        let steps = first_rounds(&rounds_of(sources, kernel)?);
        let bad = (0..steps.len()).filter(|&at| steps[at] == Step::Store && races(&steps[..at])).count();
        let verdict = if bad == 0 { "ordered" } else { "nothing between load and store" };
        sheet.sized(4.0, y, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        sheet.right(396.0, y, if bad == 0 { Tone::Text } else { Tone::Strong }, verdict);
        draw(sheet, y + 26.0, &steps);
        let words: Vec<&str> = steps.iter().map(|&step| word(step)).collect();
        described.push(format!("{kernel}: {}; {verdict}", words.join(", ")));
        y += 74.0;
    }
    let marks = [
        (Mark::Disc, Fill::Off, "own sum"),
        (Mark::Disc, Fill::On, "partner's sum"),
        (Mark::Square, Fill::Good, "store"),
        (Mark::Cross, Fill::Bad, "store too early"),
    ];
    legend(sheet, 4.0, y, &marks);
    Ok(format!(
        "What a warp does in shared memory in the first {ROUNDS} of the last five rounds, from left to right, from a trace of \
         the emulator. {}.",
        described.join(". ")
    ))
}

fn word(step: Step) -> &'static str {
    match step {
        Step::Own => "load own",
        Step::Partner => "load partner",
        Step::Store => "store",
        Step::Barrier => "barrier",
    }
}

/// The last rounds of one warp that is a block of its own, with space for what it reads after the end of its array.
fn rounds_of(sources: &mut Sources, kernel: &'static Kernel) -> Result<Vec<Step>> {
    let (x, sum) = (sources.upload("x", &integers(32))?, sources.zeroed::<i32>("sum", 1)?);
    let launch = Launch::new(kernel, 1, LANES).shared_bytes(4 * (LANES + LANES / 2));
    Ok(steps(&sources.trace(&launch.arg(x).arg(sum).arg(LANES as i32))?))
}

/// The steps up to the last barrier before the third round begins to load.
fn first_rounds(steps: &[Step]) -> Vec<Step> {
    let stores = steps.iter().enumerate().filter(|(_, step)| **step == Step::Store);
    let last = stores.map(|(at, _)| at).nth(ROUNDS - 1).unwrap_or_default();
    let barrier = usize::from(steps.get(last + 1) == Some(&Step::Barrier));
    steps[..=last + barrier].to_vec()
}

fn draw(sheet: &mut Sheet, y: f64, steps: &[Step]) {
    const PITCH: f64 = 34.0;
    sheet.line(&[(8.0, y), (16.0 + PITCH * steps.len() as f64, y)], Stroke::Grid);
    for (at, &step) in steps.iter().enumerate() {
        let x = 24.0 + PITCH * at as f64;
        match step {
            Step::Own => sheet.mark((x, y), 4.0, Mark::Disc, Fill::Off),
            Step::Partner => sheet.mark((x, y), 6.0, Mark::Disc, Fill::On),
            Step::Store => {
                let (mark, fill) =
                    if races(&steps[..at]) { (Mark::Cross, Fill::Bad) } else { (Mark::Square, Fill::Good) };
                sheet.mark((x, y), 6.0, mark, fill);
            }
            Step::Barrier => sheet.line(&[(x, y - 12.0), (x, y + 12.0)], Stroke::Line),
        }
        let label = match step {
            Step::Own | Step::Partner => "load",
            Step::Store => "store",
            Step::Barrier => "wait",
        };
        sheet.sized(x, y + 27.0, Anchor::Middle, Tone::Dim, 12.0, label);
    }
}
