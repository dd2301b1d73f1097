//! What is in each stage of a ring while a warp multiplies: a tile that is under way, or one that is being read.
//!
//! Both are read off a trace of one block: where the copies of a round are issued, and where a warp loads from the stage of that
//! round. When a copy really arrives is left out, because the program does not see it.

use std::ops::Range;

use anyhow::{Result, ensure};
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::products_async::PRODUCT_ASYNC;
use thirty_two_lanes::kernels::products_bulk::PRODUCT_SUPPLIED;
use thirty_two_lanes::{Launch, Traced};

use crate::timeline::{is, legend};
use crate::{Fill, Mark, Sheet, Sources, Stroke, Tone};

const STAGES: usize = 3;
/// The rounds that are shown.
const SHOWN: usize = 8;
/// Rows and columns, a multiple of the tiles of both kernels.
const N: usize = 128;
/// Columns of A in a round.
const DEPTH: usize = 8;
const LEFT: f64 = 62.0;
const WIDTH: f64 = 334.0;

/// A round: where its copies are issued, and where the warp reads them, as positions in a trace.
struct Round {
    issued: usize,
    read: Range<usize>,
}

pub fn ring(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let trace = trace(sources, &PRODUCT_ASYNC, 128)?;
    // One warp's own instructions: it copies and reads.
    let own: Vec<&Traced> = trace.iter().filter(|step| step.warp == 0).collect();
    let issued = starts(&own, "cp.async.commit_group", 1);
    draw(sheet, &rounds(&own, &issued, |_| true)?)
}

pub fn supplied(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let trace = trace(sources, &PRODUCT_SUPPLIED, 96)?;
    let block: Vec<&Traced> = trace.iter().filter(|step| step.warp == 0 || step.warp == 2).collect();
    let issued = starts(&block, "mbarrier.arrive.expect_tx", 1);
    draw(sheet, &rounds(&block, &issued, |step| step.warp == 0)?)
}

fn trace(sources: &mut Sources, kernel: &'static Kernel, block: u32) -> Result<Vec<Traced>> {
    sources.scope(|sources| {
        let [a, b, c] = ["a", "b", "c"].map(|name| sources.zeroed::<f32>(name, N * N));
        let launch = Launch::new(kernel, 1, block).arg(a?).arg(b?).arg(c?).arg(N as i32);
        sources.trace(&launch)
    })
}

/// Where each `every`th instruction with this opcode is.
fn starts(steps: &[&Traced], operation: &str, every: usize) -> Vec<usize> {
    let found = (0..).zip(steps).filter(|(_, step)| is(step, operation)).map(|(at, _)| at);
    found.step_by(every).collect()
}

/// The rounds in order. In each of them a warp makes the same number of loads from shared memory.
fn rounds(steps: &[&Traced], issued: &[usize], reads: impl Fn(&Traced) -> bool) -> Result<Vec<Round>> {
    let loads = (0..).zip(steps).filter(|(_, step)| reads(step) && is(step, "ld.shared"));
    let loads: Vec<usize> = loads.map(|(at, _)| at).collect();
    let all = N / DEPTH;
    ensure!(loads.len().is_multiple_of(all) && issued.len() >= all, "{} loads in {all} rounds", loads.len());
    let of_rounds = loads.chunks(loads.len() / all).zip(issued);
    let round = |(loads, issued): (&[usize], &usize)| Round {
        issued: *issued,
        read: loads[0]..loads[loads.len() - 1],
    };
    Ok(of_rounds.map(round).take(SHOWN).collect())
}

fn draw(sheet: &mut Sheet, rounds: &[Round]) -> Result<String> {
    let end = rounds.last().map_or(1, |round| round.read.end);
    let x = |at: usize| LEFT + WIDTH * at as f64 / end as f64;
    let mut described = Vec::new();
    for stage in 0..STAGES {
        let y = 14.0 + 34.0 * stage as f64;
        sheet.right(LEFT - 8.0, y + 14.5, Tone::Text, &format!("stage {stage}"));
        sheet.line(&[(LEFT, y + 22.0), (LEFT + WIDTH, y + 22.0)], Stroke::Grid);
        for (number, round) in (0..).zip(rounds).filter(|(number, _)| number % STAGES == stage) {
            let (issued, first, last) = (x(round.issued), x(round.read.start), x(round.read.end));
            ensure!(issued <= first, "round {number} is read before it is ordered");
            sheet.rect([issued, y, first - issued, 20.0], Fill::Off);
            sheet.rect([first, y, last - first, 20.0], Fill::A);
            sheet.sized(
                f64::midpoint(first, last),
                y - 3.0,
                crate::Anchor::Middle,
                Tone::Dim,
                12.0,
                &number.to_string(),
            );
            described.push((number, stage));
        }
    }
    let y = 14.0 + 34.0 * STAGES as f64 + 10.0;
    legend(
        sheet,
        LEFT - 58.0,
        y,
        &[(Mark::Square, Fill::Off, "ordered, under way"), (Mark::Square, Fill::A, "read in this round")],
    );
    sheet.right(LEFT + WIDTH, y, Tone::Dim, "instructions →");
    described.sort_unstable();
    let described: Vec<String> =
        described.iter().map(|(number, stage)| format!("round {number} in stage {stage}")).collect();
    Ok(format!(
        "Three stages, along the instructions of the trace. In each stage, a piece in which a tile is under way is followed by a \
         piece in which it is read: {}.",
        described.join(", ")
    ))
}
