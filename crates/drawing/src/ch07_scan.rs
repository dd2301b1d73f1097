//! The figures of chapter 7: the rounds of a scan, the threads that add in them, where elements go, and blocks that
//! look back.
//!
//! Most times are left out, because the pages have them as tables.

mod blocks;
mod split;

use anyhow::{Result, ensure};
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::compaction::{KEEP_ATOMIC, KEEP_BALLOT, KEEP_BLOCK, KEEP_COUNT, KEEP_WRITE};
use thirty_two_lanes::kernels::scan::{SCAN_BLOCK_TREE, SCAN_BLOCK_TWO_BUFFERS, SCAN_WARP_WATCHED};
use thirty_two_lanes::kernels::scan_array::SCAN_SUMS;
use thirty_two_lanes::{Launch, Random, Schedule, Traced};

use crate::chart::{Bar, Bars};
use crate::timeline::is;
use crate::warp::{LANES, Strip};
use crate::{Figure, Fill, Sheet, Sources, Stroke, Tone};

pub const FIGURES: &[Figure] = &[
    Figure { name: "scan_rounds", title: "The five rounds of a warp's scan", draw: scan_rounds },
    Figure { name: "who_adds", title: "Which threads of a block add in each round", draw: who_adds },
    Figure { name: "keep_order", title: "Where the elements that are kept go", draw: keep_order },
    Figure {
        name: "array_traffic",
        title: "How often a scan reads and writes the array",
        draw: array_traffic,
    },
    Figure { name: "look_back_time", title: "Eight tiles that look back", draw: blocks::look_back_time },
    Figure {
        name: "start_order",
        title: "Tiles that are finished when the last one goes to the first block",
        draw: blocks::start_order,
    },
    Figure { name: "split_time", title: "From which size on sorting first pays", draw: split::times },
];

const CHAPTER: &str = "ch07_scan";

/// The sums before the first of five rounds, and after each round.
const STAGES: usize = 6;

/// A warp of ones: a sum is the number of elements that it covers.
fn scan_rounds(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let (x, y) = (sources.upload("x", &[1; 32])?, sources.zeroed::<i32>("y", STAGES * 32)?);
    let launch = Launch::new(&SCAN_WARP_WATCHED, 1, LANES).arg(x).arg(y).arg(1_i32);
    let (_, sums) = sources.trial(&launch, y)?;
    let strip = Strip::squares(62.0, 10.5);
    strip.numbers(sheet, 12.0);
    let mut top = 19.0;
    let mut described = Vec::new();
    for (stage, sums) in sums.chunks(32).enumerate() {
        let most = sums.iter().copied().max().unwrap_or(1);
        let height = 6.0 + 1.6 * f64::from(most);
        let bottom = top + height;
        let name = if stage == 0 { "x".to_owned() } else { format!("d = {}", 1 << (stage - 1)) };
        sheet.right(54.0, bottom, Tone::Text, &name);
        let complete = |lane: u32| sums[lane as usize] == lane as i32 + 1;
        for lane in 0..LANES {
            let size = 6.0 + 1.6 * f64::from(sums[lane as usize] - 1);
            let fill = if complete(lane) { Fill::On } else { Fill::Off };
            sheet.rect([strip.lane(lane), bottom - size, strip.width(), size], fill);
        }
        let done = (0..LANES).filter(|&lane| complete(lane)).count();
        described.push(format!("{name}: {done} lanes complete, the longest sum covers {most}"));
        top = bottom + 9.0;
    }
    Ok(format!(
        "A column for each of {LANES} lanes, kernel scan_warp_watched on the emulator. {}.",
        described.join("; ")
    ))
}

/// The threads that add in each round.
fn who_adds(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const BLOCK: u32 = 64;
    let mut top = 8.0;
    let mut described = Vec::new();
    for (kernel, name, access, text) in [
        (&SCAN_BLOCK_TWO_BUFFERS, "rounds", "ld.shared", "sum += "),
        (&SCAN_BLOCK_TREE, "tree", "st.shared", "] += "),
    ] {
        let rounds = additions(sources, kernel, BLOCK, access, text)?;
        sheet.left(4.0, top + 12.0, Tone::Strong, name);
        let (left, pitch) = (62.0, 5.2);
        for row in &rounds {
            for thread in 0..BLOCK {
                let gap = if thread < LANES { 0.0 } else { 4.0 };
                let at = left + pitch * f64::from(thread) + gap;
                if row >> thread & 1 == 1 {
                    sheet.rect([at, top, 4.2, 9.0], Fill::On);
                } else {
                    sheet.rect([at + 1.6, top + 4.0, 1.0, 1.0], Fill::Off);
                }
            }
            top += 12.0;
        }
        let all: u32 = rounds.iter().map(|row| row.count_ones()).sum();
        sheet.left(left, top + 10.0, Tone::Dim, &format!("{all} additions in {} rounds", rounds.len()));
        described.push(format!("{name}: {all} additions in {} rounds", rounds.len()));
        top += 30.0;
    }
    Ok(format!(
        "A column for each of {BLOCK} threads, a row for each round, on the emulator. {}.",
        described.join("; ")
    ))
}

/// For each round, the threads that add. A round ends at a barrier.
fn additions(
    sources: &mut Sources,
    kernel: &'static Kernel,
    block: u32,
    access: &str,
    text: &str,
) -> Result<Vec<u64>> {
    let (x, y) = (sources.zeroed::<i32>("x", block as usize)?, sources.zeroed::<i32>("y", block as usize)?);
    let trace = sources.trace(&Launch::new(kernel, 1, block).arg(x).arg(y))?;
    let source: Vec<&str> = kernel.file.source.lines().collect();
    let line = |step: &Traced| step.line.and_then(|line| source.get(line as usize - 1)).copied();
    // How many barriers each of the two warps has passed.
    let mut passed = [0_usize; 2];
    let mut rounds: Vec<u64> = Vec::new();
    for step in &trace {
        let warp = step.warp as usize;
        if is(step, "bar.sync") {
            passed[warp] += 1;
        } else if is(step, access) && line(step).is_some_and(|line| line.contains(text)) {
            ensure!(passed[warp] > 0, "an addition before the first barrier");
            rounds.resize(rounds.len().max(passed[warp]), 0);
            rounds[passed[warp] - 1] |= u64::from(step.active) << (32 * warp);
        }
    }
    Ok(rounds)
}

const KEPT_OF: usize = 2048;

/// Elements that are kept have their index as their value, the others have the limit.
fn keep_order(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const LIMIT: i32 = KEPT_OF as i32;
    let mut random = Random::new(0);
    let values: Vec<i32> =
        (0..LIMIT).map(|i| if random.next_u32().is_multiple_of(2) { i } else { LIMIT }).collect();
    let kept = values.iter().filter(|&&value| value < LIMIT).count();
    let mut described = Vec::new();
    let panels = [
        ("one for each element", &KEEP_ATOMIC),
        ("one for each warp", &KEEP_BALLOT),
        ("one for each block", &KEEP_BLOCK),
        ("a scan", &KEEP_WRITE),
    ];
    for (nth, (name, kernel)) in panels.into_iter().enumerate() {
        let got = sources.scope(|sources| kept_by(sources, kernel, &values, LIMIT))?;
        let (left, top, side) = (10.0 + 204.0 * (nth % 2) as f64, 24.0 + 196.0 * (nth / 2) as f64, 166.0);
        sheet.left(left, top - 7.0, Tone::Text, name);
        sheet.frame([left, top, side, side], Stroke::Grid);
        let points = got[..kept].iter().enumerate().map(|(place, &from)| {
            let x = left + side * f64::from(from) / KEPT_OF as f64;
            (x - 0.8, top + side * (1.0 - place as f64 / kept as f64) - 0.8)
        });
        sheet.boxes((1.6, 1.6), Fill::A, points);
        let falls = got[..kept].windows(2).filter(|pair| pair[0] > pair[1]).count();
        described.push(format!("{name}: {falls} times an element stands before one that came earlier"));
    }
    Ok(format!(
        "Four panels for {kept} elements kept of {KEPT_OF}, in blocks of 128 threads on the emulator, random order of warps, seed 0. {}.",
        described.join("; ")
    ))
}

fn kept_by(sources: &mut Sources, kernel: &'static Kernel, values: &[i32], limit: i32) -> Result<Vec<i32>> {
    const BLOCK: u32 = 128;
    let blocks = values.len().div_ceil(BLOCK as usize);
    let (x, y) = (sources.upload("x", values)?, sources.zeroed::<i32>("y", values.len())?);
    let counts = sources.zeroed::<i32>("counts", blocks)?;
    let random = |kernel: &'static Kernel| {
        let mut launch = Launch::cover(kernel, values.len(), BLOCK);
        launch.simt.schedule = Schedule::Random;
        launch
    };
    let n = values.len() as i32;
    if kernel.name == KEEP_WRITE.name {
        sources.launch(&random(&KEEP_COUNT).arg(x).arg(counts).arg(limit).arg(n))?;
        sources.launch(&Launch::new(&SCAN_SUMS, 1, LANES).arg(counts).arg(blocks as i32))?;
    }
    Ok(sources.trial(&random(kernel).arg(x).arg(y).arg(counts).arg(limit).arg(n), y)?.1)
}

fn array_traffic(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let record = sources.emulated(CHAPTER, 0)?;
    let rows = ["scan_passes", "scan_then_add", "sum_then_scan", "look_back", "copy_tiles"];
    let mut most: f64 = 0.0;
    for row in rows {
        most = most.max(record.fact(row, "read")?);
    }
    let mut described = Vec::new();
    let mut y = 18.0;
    for (title, fact, fill) in [("read", "read", Fill::A), ("written", "written", Fill::B)] {
        sheet.left(4.0, y, Tone::Dim, title);
        let mut bars = Vec::new();
        for row in rows {
            let value = record.fact(row, fact)?;
            described.push(format!("{row} {title} {value:.1} times"));
            bars.push(Bar { name: row.to_owned(), value, label: format!("{value:.1}"), fill });
        }
        y = Bars { x: 120.0, width: 230.0, most, pitch: 21.0, tone: Tone::Mono }.draw(sheet, y + 10.0, &bars)
            + 28.0;
    }
    let size = record.setting("size")?;
    Ok(format!(
        "How often each of {size} elements is read and written on the emulator: {}.",
        described.join("; ")
    ))
}
