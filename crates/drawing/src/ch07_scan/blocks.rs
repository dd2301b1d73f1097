//! The figures of chapter 7 about blocks that wait for each other: loads of flags over time, and tiles that never run.
//!
//! Which tile a load looks at is left out, because a trace contains no values.

use anyhow::{Context, Result, ensure};
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::scan_array::{SCAN_LOOK_BACK, SCAN_LOOK_BACK_LAST_FIRST};
use thirty_two_lanes::{Buffer, Launch, Schedule, Traced};

use crate::timeline::{is, legend};
use crate::{Fill, Mark, Sheet, Sources, Stroke, Tone};

/// The elements of a thread.
const PER_THREAD: u32 = 4;
const BLOCK: u32 = 32;

/// A launch over this many tiles of ones, and the buffer for the scan.
fn scan(
    sources: &mut Sources,
    kernel: &'static Kernel,
    tiles: u32,
    patience: i32,
) -> Result<(Launch, Buffer<i32>)> {
    let n = (tiles * BLOCK * PER_THREAD) as usize;
    let (x, y) = (sources.upload("x", &vec![1; n])?, sources.zeroed::<i32>("y", n)?);
    let states = sources.zeroed::<u64>("states", tiles as usize)?;
    let (tickets, gave_up) = (sources.zeroed::<u32>("tickets", 1)?, sources.zeroed::<i32>("gave_up", 1)?);
    let launch = Launch::new(kernel, tiles, BLOCK).arg(x).arg(y).arg(states).arg(tickets).arg(gave_up);
    Ok((launch.arg(n as i32).arg(patience), y))
}

/// What a block does at some time.
#[derive(Clone, Copy, PartialEq)]
enum Event {
    Draws,
    Looks,
    Publishes,
}

fn event(step: &Traced) -> Option<Event> {
    if is(step, "atom.global.add") {
        Some(Event::Draws)
    } else if is(step, "ld.relaxed") {
        Some(Event::Looks)
    } else if is(step, "st.relaxed") {
        Some(Event::Publishes)
    } else {
        None
    }
}

pub fn look_back_time(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const TILES: u32 = 8;
    const SEED: u64 = 1;
    let (mut launch, _) = scan(sources, &SCAN_LOOK_BACK, TILES, 1_000_000)?;
    launch.simt.schedule = Schedule::Random;
    let trace = sources.trace(&launch.seed(SEED))?;
    let (left, width, pitch, top) = (52.0, 336.0, 24.0, 18.0);
    let x = |at: usize| left + width * at as f64 / trace.len() as f64;
    // Blocks draw their tiles one after another.
    let drawn: Vec<u32> =
        trace.iter().filter(|step| event(step) == Some(Event::Draws)).map(|step| step.block.x).collect();
    ensure!(drawn.len() == TILES as usize, "{} tickets", drawn.len());
    let mut described = Vec::new();
    for (tile, &block) in drawn.iter().enumerate() {
        let y = top + pitch * tile as f64;
        sheet.left(4.0, y + 4.3, Tone::Text, &format!("tile {tile}"));
        sheet.line(&[(left, y), (left + width, y)], Stroke::Grid);
        let (mut looks, mut published) = (0, 0);
        let steps = trace.iter().enumerate().filter(|(_, step)| step.block.x == block);
        for (at, what) in steps.filter_map(|(at, step)| Some((at, event(step)?))) {
            match what {
                Event::Draws => {}
                Event::Looks => {
                    looks += 1;
                    sheet.mark((x(at), y), 1.9, Mark::Disc, Fill::Off);
                }
                Event::Publishes => {
                    published += 1;
                    // No tile comes before the first one, so its sum is its prefix.
                    let is_prefix = published == 2 || tile == 0;
                    let (mark, fill) =
                        if is_prefix { (Mark::Square, Fill::On) } else { (Mark::Triangle, Fill::A) };
                    sheet.mark((x(at), y), 4.2, mark, fill);
                }
            }
        }
        described.push(format!("tile {tile} by block {block} looks {looks} times"));
    }
    let bottom = top + pitch * f64::from(TILES) - 6.0;
    sheet.arrow(&[(left, bottom), (left + width, bottom)], Stroke::Line);
    sheet.right(left + width, bottom + 16.0, Tone::Dim, "instructions of all blocks");
    legend(
        sheet,
        4.0,
        bottom + 36.0,
        &[
            (Mark::Triangle, Fill::A, "publishes a sum"),
            (Mark::Square, Fill::On, "publishes a prefix"),
            (Mark::Disc, Fill::Off, "looks"),
        ],
    );
    Ok(format!(
        "A row for each of {TILES} tiles, time runs to the right, kernel scan_look_back with blocks of {BLOCK} threads on the \
         emulator, random order, seed {SEED}. {}.",
        described.join("; ")
    ))
}

pub fn start_order(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const TILES: u32 = 16;
    let (left, pitch) = (120.0, 16.0);
    sheet.left(4.0, 12.0, Tone::Dim, "tile");
    for tile in [0, 7, 15] {
        sheet.middle(left + pitch * f64::from(tile) + 6.0, 12.0, Tone::Dim, &tile.to_string());
    }
    let mut described = Vec::new();
    for (row, resident) in [1, 4, 8, 15, 16].into_iter().enumerate() {
        let (mut launch, y) = scan(sources, &SCAN_LOOK_BACK_LAST_FIRST, TILES, 200)?;
        launch.simt.resident_blocks = resident;
        let (_, sums) = sources.trial(&launch, y)?;
        let of_tile = (BLOCK * PER_THREAD) as usize;
        let top = 20.0 + 20.0 * row as f64;
        sheet.left(4.0, top + 10.5, Tone::Text, &format!("{resident} at a time"));
        let mut finished = 0;
        for (tile, sums) in sums.chunks(of_tile).enumerate() {
            let is_done = *sums.last().context("an empty tile")? == ((tile + 1) * of_tile) as i32;
            finished += u32::from(is_done);
            let at = (left + pitch * tile as f64 + 6.0, top + 6.0);
            let (mark, fill) = if is_done { (Mark::Square, Fill::Good) } else { (Mark::Cross, Fill::Bad) };
            sheet.mark(at, 4.6, mark, fill);
        }
        described.push(format!("with {resident} blocks at a time {finished} tiles are finished"));
    }
    let base = 20.0 + 20.0 * 5.0 + 18.0;
    legend(
        sheet,
        4.0,
        base,
        &[(Mark::Square, Fill::Good, "right"), (Mark::Cross, Fill::Bad, "its block gave up")],
    );
    Ok(format!(
        "A row for each number of blocks on the machine at a time, a mark for each of {TILES} tiles, kernel \
         scan_look_back_last_first on the emulator: {}.",
        described.join("; ")
    ))
}
