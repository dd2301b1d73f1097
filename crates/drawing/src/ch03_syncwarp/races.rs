//! The figures of chapter 3 about races: two accesses in two orders, the results of some seeds, a tile without its
//! barrier.
//!
//! How the checker finds a race is left out.

use anyhow::{Context, Result, ensure};
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::races::{TREE_BARRIER, TREE_NO_BARRIER, WARP_TREE_UNGUARDED};
use thirty_two_lanes::kernels::syncwarp::{
    MASK_OUTSIDE, TAIL_NO_BARRIER, TAIL_OTHER_ORDER, TILE_BARRIER, TILE_NO_BARRIER,
};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Buffer, Launch, Run, Schedule, Traced};

use super::{integers, tail};
use crate::timeline::{Track, is, legend, literal, shortened};
use crate::warp::{LANES, Strip};
use crate::{Anchor, Fill, Mark, Sheet, Sources, Stroke, Tone};

/// How often each element of a warp is counted in a sum: the sum if that element is 1 and all others are 0.
fn weights(sources: &mut Sources, kernel: &'static Kernel) -> Result<Vec<i32>> {
    let (x, sum) = (sources.zeroed::<i32>("x", 32)?, sources.zeroed::<i32>("sums", 1)?);
    let launch = Launch::new(kernel, 1, LANES).arg(x).arg(sum);
    let one = |lane| {
        let mut values = vec![0; 32];
        values[lane] = 1;
        sources.write(x, &values)?;
        Ok(sources.trial(&launch, sum)?.1[0])
    };
    (0..32).map(one).collect()
}

/// A lane's accesses in a round, in order: loads of its own and of the other element, and the store.
fn accesses(trace: &[Traced], lane: u32, offset: u32) -> Vec<(usize, bool, u32)> {
    let mut current = 0;
    let mut found = Vec::new();
    for (step, at) in trace.iter().zip(0..) {
        if is(step, "add.s32")
            && let Some(literal) = literal(&step.ptx)
        {
            current = literal;
        }
        let takes_part = step.active >> lane & 1 == 1 && current == offset;
        if takes_part && is(step, "ld.shared") {
            // The first address register is the lane's own; the other one was computed for the round.
            let own = step.ptx.contains("[%rd1]");
            found.push((at, false, if own { lane } else { lane + offset }));
        } else if takes_part && is(step, "st.shared") {
            found.push((at, true, lane));
        }
    }
    found
}

/// The lane that reads, and the round in which the value that it reads is written: the second of five.
const READER: u32 = 0;
const ROUND: u32 = 8;

pub fn tail_race(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let values = integers(32);
    let mut described = Vec::new();
    for (left, kernel) in [(4.0, &WARP_TREE_UNGUARDED), (204.0, &TAIL_OTHER_ORDER)] {
        let (x, sum) = (sources.upload("x", &values)?, sources.zeroed::<i32>("sums", 1)?);
        let launch = Launch::new(kernel, 1, LANES).arg(x).arg(sum);
        let (_, got) = sources.trial(&launch, sum)?;
        sheet.sized(left, 12.0, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        two_accesses(sheet, left, &sources.trace(&launch)?)?;
        let times = counted_bars(sheet, left, &weights(sources, kernel)?);
        let exact: i32 = values.iter().sum();
        let (tone, verdict) = if got[0] == exact { (Tone::Text, "right") } else { (Tone::Strong, "wrong") };
        sheet.left(left, 251.0, tone, &format!("sum {}: {verdict}", grouped(got[0] as u64)));
        described.push(format!("{kernel}: elements are {times}, sum {} of {exact}", got[0]));
    }
    let (run, line) = race_of(sources, &values)?;
    let fault = run.faults.first().context("no race was found")?;
    let actors: Vec<String> =
        fault.actors.iter().map(|actor| format!("lane {} {}", actor.lane, actor.doing)).collect();
    let written = READER + ROUND;
    Ok(format!(
        "Time runs downwards. Lane {READER} reads element {written} and lane {written} writes it in the same round, and nothing orders \
         the two. On the left as the emulator runs it, on the right the other order, which barriers force. Below, how often \
         each of {LANES} elements is counted. {}. The race is reported at races.cu line {line}: {}.",
        described.join("; "),
        actors.join(", ")
    ))
}

/// The accesses of the reader and the writer in the round, from top to bottom, and an arrow from the first to the
/// second of the two accesses that race.
fn two_accesses(sheet: &mut Sheet, left: f64, trace: &[Traced]) -> Result<()> {
    let written = READER + ROUND;
    let [reader, other] = [READER, written].map(|lane| accesses(trace, lane, ROUND));
    let mut times: Vec<usize> = reader.iter().chain(&other).map(|&(at, ..)| at).collect();
    times.sort_unstable();
    times.dedup();
    let y =
        |at: usize| 52.0 + 110.0 * times.partition_point(|&time| time < at) as f64 / (times.len() - 1) as f64;
    let columns = [left + 77.0, left + 118.0];
    sheet.right(columns[0] + 8.0, 31.0, Tone::Text, &format!("lane {READER}"));
    sheet.left(columns[1] - 8.0, 31.0, Tone::Text, &format!("lane {written}"));
    for (x, accesses, is_reader) in [(columns[0], &reader, true), (columns[1], &other, false)] {
        let track = Track { x, top: 36.0, bottom: 168.0 };
        track.line(sheet);
        for &(at, is_store, element) in accesses {
            let (mark, verb) = if is_store { (Mark::Square, "writes") } else { (Mark::Disc, "reads") };
            // The reader never writes this element, so the owner's load of it does not race.
            let races = element == written && is_store != is_reader;
            let fill = if races { Fill::Bad } else { Fill::Off };
            track.event(sheet, y(at), mark, fill, &format!("{verb} [{element}]"), is_reader);
        }
    }
    let read =
        reader.iter().find(|&&(.., element)| element == written).context("the reader does not read it")?.0;
    let stored = other.iter().find(|&&(_, is_store, _)| is_store).context("the other lane does not write")?.0;
    let ends = [(columns[0], y(read)), (columns[1], y(stored))];
    let ends = if read < stored { ends } else { [ends[1], ends[0]] };
    sheet.arrow(&shortened(ends, 7.0), Stroke::ArrowBad);
    Ok(())
}

/// A bar for each element: how often it is in the sum. Returns the same in words.
fn counted_bars(sheet: &mut Sheet, left: f64, counts: &[i32]) -> String {
    const BASE: f64 = 232.0;
    let strip = Strip::squares(left, 5.8);
    for (lane, &count) in (0..).zip(counts) {
        let height = 5.0 * f64::from(count);
        let fill = if count == 1 { Fill::On } else { Fill::Bad };
        sheet.rect([strip.lane(lane), BASE - height, strip.width(), height], fill);
    }
    sheet.line(&[(strip.x, BASE + 1.0), (strip.end(), BASE + 1.0)], Stroke::Line);
    let most = counts.iter().copied().max().unwrap_or_default();
    let times = if most == 1 { "once each".to_owned() } else { format!("up to {most} times") };
    sheet.left(left, 190.0, Tone::Dim, &format!("counted {times}"));
    format!("counted {times}")
}

fn race_of(sources: &mut Sources, values: &[i32]) -> Result<(Run, u32)> {
    let (x, sum) = (sources.upload("x", values)?, sources.zeroed::<i32>("sums", 1)?);
    let (run, _) = sources.trial(&Launch::new(&WARP_TREE_UNGUARDED, 1, LANES).arg(x).arg(sum), sum)?;
    let line =
        run.faults.first().and_then(|fault| fault.actors[0].site.source.as_ref()).context("no line")?.line;
    Ok((run, line))
}

/// How many seeds each kernel is run with, as in the chapter.
const SEEDS: u64 = 20;

/// What a seed may show, in the order of the values in [`Shown`].
const ROWS: [&str; 3] = ["race reported", "wrong", "wrong if weak"];
type Shown = [bool; 3];

/// Runs a launch with each seed, with the warps in random order, and then with the weak memory.
fn seeds(sources: &mut Sources, launch: &Launch, result: Buffer<i32>, right: &[i32]) -> Result<Vec<Shown>> {
    let mut shown = Vec::new();
    for seed in 0..SEEDS {
        let mut launch = launch.clone().seed(seed);
        launch.simt.schedule = Schedule::Random;
        let (run, got) = sources.trial(&launch, result)?;
        launch.simt.weak_memory = true;
        let (_, weak) = sources.trial(&launch, result)?;
        let race = run.faults.iter().any(|fault| fault.kind.name() == "race");
        shown.push([race, got != right, weak != right]);
    }
    Ok(shown)
}

fn seeds_of(sources: &mut Sources, kernel: &'static Kernel) -> Result<Vec<Shown>> {
    match kernel.name {
        "tail_no_barrier" => {
            let (launch, sum, exact) = tail(sources, kernel, 128)?;
            seeds(sources, &launch, sum, &[exact])
        }
        "mask_outside" => {
            let values = integers(32);
            let (x, y) = (sources.upload("x", &values)?, sources.zeroed::<i32>("y", 32)?);
            let right: Vec<i32> = (0..32).map(|lane| values[lane ^ 16]).collect();
            seeds(sources, &Launch::new(kernel, 1, LANES).arg(x).arg(y), y, &right)
        }
        name => {
            let block = if name.starts_with("warp") { 32 } else { 256 };
            let blocks = if block == 32 { 1 } else { 2 };
            let values = integers((blocks * block) as usize);
            let (x, sums) = (sources.upload("x", &values)?, sources.zeroed::<i32>("sums", blocks as usize)?);
            let launch = Launch::new(kernel, blocks, block).arg(x).arg(sums);
            let launch = if block == 32 { launch } else { launch.arg(values.len() as i32) };
            let right: Vec<i32> = values.chunks(block as usize).map(|part| part.iter().sum()).collect();
            seeds(sources, &launch, sums, &right)
        }
    }
}

pub fn race_seeds(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let kernels = [&TREE_BARRIER, &TREE_NO_BARRIER, &TAIL_NO_BARRIER, &MASK_OUTSIDE, &WARP_TREE_UNGUARDED];
    let (first, pitch) = (134.0, 11.6);
    sheet.right(first - 8.0, 12.0, Tone::Dim, "seed");
    for seed in [0, 5, 10, 15, 19] {
        let x = first + pitch * (f64::from(seed) + 0.5);
        sheet.sized(x, 12.0, Anchor::Middle, Tone::Dim, 12.0, &seed.to_string());
    }
    let mut y = 30.0;
    let mut described = Vec::new();
    for kernel in kernels {
        let shown = seeds_of(sources, kernel)?;
        sheet.sized(4.0, y, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        let mut counts = Vec::new();
        for (row, name) in ROWS.iter().enumerate() {
            let top = y + 8.0 + 15.0 * row as f64;
            sheet.right(first - 8.0, top + 9.0, Tone::Dim, name);
            let count = shown.iter().filter(|shown| shown[row]).count();
            for (seed, shown) in (0..).zip(&shown) {
                let centre = (first + pitch * (f64::from(seed) + 0.5), top + 5.0);
                match (shown[row], row) {
                    (false, _) => sheet.mark(centre, 1.6, Mark::Square, Fill::Off),
                    (true, 0) => sheet.mark(centre, 4.6, Mark::Square, Fill::On),
                    (true, _) => sheet.mark(centre, 4.6, Mark::Cross, Fill::Bad),
                }
            }
            sheet.right(396.0, top + 9.0, Tone::Text, &count.to_string());
            counts.push(format!("{name} {count}"));
        }
        described.push(format!("{kernel}: {}", counts.join(", ")));
        y += 72.0;
    }
    Ok(format!(
        "A column for each of {SEEDS} seeds on the emulator, warps in random order. For each kernel three rows: whether a race \
         is reported, whether the result is wrong, and whether it is wrong in a memory that may return older stores. {}.",
        described.join("; ")
    ))
}

/// The block whose tile is drawn.
const TILE: u32 = 128;

pub fn tile_race(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let mut described = Vec::new();
    for (panel, kernel) in [&TILE_NO_BARRIER, &TILE_BARRIER].into_iter().enumerate() {
        let left = 4.0 + 200.0 * panel as f64;
        let (wrong, stale) = tile(sources, sheet, kernel, left)?;
        described.push(format!(
            "{kernel}: {stale} of 4 loads come before the store, {wrong} of {TILE} elements are wrong"
        ));
    }
    let marks = [
        (Mark::Square, Fill::On, "stores"),
        (Mark::Disc, Fill::Good, "loads"),
        (Mark::Cross, Fill::Bad, "loads too early"),
    ];
    legend(sheet, 4.0, sheet.bottom() + 20.0, &marks);
    Ok(format!(
        "Time runs downwards, a column for each of 4 warps of one block of {TILE} threads on the emulator, seed 0, random order. A \
         square is the store into the tile, a disc the load from it; an arrow goes from the store to the load of what was \
         stored. {}.",
        described.join("; ")
    ))
}

/// Draws the stores and loads of a block's warps. Returns how many elements are wrong, and how many loads came before
/// the store for which they should have waited.
fn tile(
    sources: &mut Sources,
    sheet: &mut Sheet,
    kernel: &'static Kernel,
    left: f64,
) -> Result<(usize, usize)> {
    let values = integers(TILE as usize);
    let (x, y) = (sources.upload("x", &values)?, sources.zeroed::<i32>("y", TILE as usize)?);
    let mut launch = Launch::new(kernel, 1, TILE).arg(x).arg(y);
    launch.simt.schedule = Schedule::Random;
    let (_, got) = sources.trial(&launch, y)?;
    let trace = sources.trace(&launch)?;
    let wrong = got.iter().zip(values.iter().rev()).filter(|(got, right)| got != right).count();
    let events: Vec<&Traced> = trace
        .iter()
        .filter(|step| ["st.shared", "bar.sync", "ld.shared"].iter().any(|op| is(step, op)))
        .collect();

    sheet.sized(left, 12.0, Anchor::Start, Tone::Mono, 12.5, kernel.name);
    let (first, pitch, top) = (left + 24.0, 36.0, 58.0);
    let centre = |warp: u32| first + pitch * f64::from(warp);
    let bottom = top + 18.0 * 8.0 + 14.0;
    for warp in 0..4 {
        let track = Track { x: centre(warp), top: 42.0, bottom };
        track.draw(sheet, &if warp == 0 { "warp 0".to_owned() } else { warp.to_string() });
    }
    let (mut at, mut stored, mut stale) = (top, [None; 4], 0);
    let mut is_waiting = false;
    for step in &events {
        let warp = step.warp as usize;
        if is(step, "bar.sync") {
            is_waiting = true;
        } else if is(step, "st.shared") {
            sheet.mark((centre(step.warp), at), 4.5, Mark::Square, Fill::On);
            stored[warp] = Some(at);
            at += 18.0;
        } else {
            if std::mem::take(&mut is_waiting) {
                sheet.line(&[(left + 8.0, at - 2.0), (centre(3) + 10.0, at - 2.0)], Stroke::Line);
                sheet.left(centre(3) + 13.0, at + 2.0, Tone::Dim, "barrier");
                at += 14.0;
            }
            let from = 3 - warp;
            let here = (centre(step.warp), at);
            if let Some(then) = stored[from] {
                sheet.arrow(&shortened([(centre(3 - step.warp), then), here], 7.0), Stroke::Arrow);
            } else {
                stale += 1;
            }
            let is_late = stored[from].is_some();
            let (mark, fill) = if is_late { (Mark::Disc, Fill::Good) } else { (Mark::Cross, Fill::Bad) };
            sheet.mark(here, 5.0, mark, fill);
            at += 18.0;
        }
    }
    // A warp that loads too early gets none of the elements that it needs, and no other warp has a wrong element.
    ensure!(wrong == stale * LANES as usize, "{stale} loads are too early, and {wrong} elements wrong");
    let tone = if wrong == 0 { Tone::Text } else { Tone::Strong };
    sheet.left(left, bottom + 20.0, tone, &format!("{wrong} of {TILE} wrong"));
    Ok((wrong, stale))
}
