//! The figure before the chapters: the parts of a multiprocessor, and where its data comes from.
//!
//! The warps, their active lanes and the sectors are from a run. The warp that issues at the moment of the drawing is
//! chosen, because the emulator has no clock. Parts that the book never uses are left out: texture units, tensor cores,
//! constant memory.

use anyhow::{Context, Result, ensure};
use thirty_two_lanes::kernels::boundary::ADD_GUARDED;
use thirty_two_lanes::{Launch, Traced};

use crate::Figure;
use crate::sheet::{Anchor, Fill, Mark, Sheet, Stroke, Tone};
use crate::sources::Sources;
use crate::timeline::{is, legend};
use crate::warp::{LANES, Strip};

pub const FIGURES: &[Figure] = &[Figure {
    name: "multiprocessor",
    title: "A multiprocessor: schedulers, registers, lanes, shared memory, caches and memory",
    draw: multiprocessor,
}];

/// The parts of a multiprocessor that have a scheduler each, and the resident warps drawn for each of them.
const PARTITIONS: u32 = 4;
const RESIDENT: u32 = 4;
/// The elements of the arrays. The last warp is not full.
const N: usize = 500;
/// For each partition, the warp that issues and one that could issue, counted from the top.
const MOMENT: [[u32; 2]; PARTITIONS as usize] = [[2, 3], [0, 2], [1, 0], [3, 1]];
/// The banks of shared memory, and the sectors of a cache line.
const BANKS: u32 = 32;
const SECTORS_OF_LINE: usize = 4;

/// The distance from one partition to the next, and the width of one.
const PITCH: f64 = 95.0;
const WIDTH: f64 = 90.0;

fn multiprocessor(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let threads = PARTITIONS * RESIDENT * LANES;
    let (a, b) = (sources.zeroed::<f32>("a", N)?, sources.zeroed::<f32>("b", N)?);
    let c = sources.zeroed::<f32>("c", N)?;
    let launch = |threads: u32| Launch::new(&ADD_GUARDED, 1, threads).arg(a).arg(b).arg(c).arg(N as i32);
    let trace = sources.trace(&launch(threads))?;
    let counters = sources.launch(&launch(LANES))?.counters;
    let sectors = (counters.global_load_sectors / counters.global_load_requests) as usize;
    ensure!(sectors == SECTORS_OF_LINE, "a load of a warp is {sectors} sectors and not a line");

    sheet.left(16.0, 13.0, Tone::Strong, "a multiprocessor");
    sheet.right(396.0, 13.0, Tone::Dim, "four partitions");
    let mut described = Vec::new();
    for partition in 0..PARTITIONS {
        described.push(draw_partition(sheet, partition, &trace)?);
    }
    let bottom = shared(sheet, 166.0);
    sheet.frame([12.0, 19.0, 384.0, bottom + 5.0 - 19.0], Stroke::Line);
    let end = memory(sheet, bottom + 5.0, sectors);
    sheet.arrow(&[(5.0, 30.0), (5.0, end)], Stroke::Line);
    let y = end + 17.0;
    sheet.left(4.0, y, Tone::Text, "further down: larger, shared by more, slower to answer");
    let marks = [
        (Mark::Disc, Fill::On, "issues"),
        (Mark::Triangle, Fill::C, "ready"),
        (Mark::Square, Fill::Off, "waits for data"),
        (Mark::Square, Fill::B, "registers"),
    ];
    legend(sheet, 4.0, y + 19.0, &marks);
    Ok(format!(
        "A multiprocessor has four partitions. Each has a scheduler, registers for its resident warps, and hardware that \
         executes an instruction for {LANES} lanes. {RESIDENT} resident warps are drawn in each: one issues an instruction, one \
         is ready, and the others wait for data. In the partitions, {}. Below the partitions is the memory that they share: shared memory with \
         {BANKS} banks, and the L1 cache. Below the multiprocessor are the L2 cache, which all multiprocessors use, and the \
         device memory in sectors of 32 bytes, of which one load of a full warp touches {sectors}. The further down, the \
         larger, the more widely shared, and the longer a warp waits for an answer.",
        described.join("; ")
    ))
}

/// Draws a partition from its warps down to its lanes. Returns what it executes.
fn draw_partition(sheet: &mut Sheet, partition: u32, trace: &[Traced]) -> Result<String> {
    let x = 16.0 + PITCH * f64::from(partition);
    let [issuing, ready] = MOMENT[partition as usize];
    let row = |row: u32| 33.0 + 16.0 * f64::from(row);
    for resident in 0..RESIDENT {
        let (mark, fill) = match resident {
            _ if resident == issuing => (Mark::Disc, Fill::On),
            _ if resident == ready => (Mark::Triangle, Fill::C),
            _ => (Mark::Square, Fill::Off),
        };
        let radius = if fill == Fill::Off { 2.6 } else { 4.0 };
        sheet.mark((x + 10.0, row(resident)), radius, mark, fill);
        let name = format!("warp {}", partition + PARTITIONS * resident);
        sheet.sized(x + 18.0, row(resident) + 4.3, Anchor::Start, Tone::Text, 12.0, &name);
        let registers = (0..5).map(|at| (x + 73.0 + 3.0 * f64::from(at), row(resident) - 4.0));
        sheet.boxes((1.9, 8.0), Fill::B, registers);
    }
    let scheduler = row(RESIDENT) - 5.0;
    let way = [
        (x + 5.0, row(issuing)),
        (x + 1.5, row(issuing)),
        (x + 1.5, scheduler + 9.0),
        (x + 8.0, scheduler + 9.0),
    ];
    sheet.arrow(&way, Stroke::Arrow);
    sheet.frame([x + 9.0, scheduler, WIDTH - 14.0, 18.0], Stroke::Line);
    sheet.sized(x + WIDTH / 2.0 + 2.0, scheduler + 13.0, Anchor::Middle, Tone::Text, 12.0, "scheduler");

    let warp = partition + PARTITIONS * issuing;
    let load = trace.iter().find(|step| step.warp == warp && is(step, "ld.global"));
    let lanes = load.with_context(|| format!("warp {warp} loads nothing"))?.active;
    let top = scheduler + 18.0;
    sheet.arrow(&[(x + 14.0, top + 1.0), (x + 14.0, top + 19.0)], Stroke::Arrow);
    sheet.sized(x + 20.0, top + 14.0, Anchor::Start, Tone::Mono, 12.0, "ld.global");
    let strip = Strip { x: x + 2.0, pitch: 2.7, height: 11.0 };
    strip.mask(sheet, top + 21.0, lanes, Fill::On);
    let active = format!("{} lanes", lanes.count_ones());
    sheet.sized(x + WIDTH / 2.0, top + 46.0, Anchor::Middle, Tone::Dim, 12.0, &active);
    Ok(format!("the scheduler of warp {warp} issues a load for {} active lanes", lanes.count_ones()))
}

/// Draws the memory inside a multiprocessor. Returns its lower end.
fn shared(sheet: &mut Sheet, y: f64) -> f64 {
    sheet.frame([16.0, y, 376.0, 42.0], Stroke::Line);
    sheet.left(22.0, y + 15.0, Tone::Text, "shared memory: 32 banks");
    sheet.right(386.0, y + 15.0, Tone::Text, "L1 cache");
    let banks = (0..BANKS).map(|bank| [22.0 + 8.4 * f64::from(bank), y + 23.0, 6.6, 12.0]);
    sheet.frames(Stroke::Line, banks);
    let lines = (0..9).map(|at| (304.0 + 9.3 * f64::from(at), y + 23.0));
    sheet.boxes((7.4, 12.0), Fill::Off, lines);
    y + 42.0
}

/// Draws what all multiprocessors share, with the sectors of one load. Returns its lower end.
fn memory(sheet: &mut Sheet, y: f64, sectors: usize) -> f64 {
    let l2 = y + 27.0;
    sheet.arrow(&[(40.0, y + 1.0), (40.0, l2 - 2.0)], Stroke::Arrow);
    sheet.arrow(&[(52.0, l2 - 1.0), (52.0, y + 2.0)], Stroke::Arrow);
    sheet.left(60.0, y + 18.0, Tone::Dim, "requests and sectors");
    sheet.right(374.0, y + 18.0, Tone::Dim, "other multiprocessors");
    sheet.arrow(&[(382.0, y + 5.0), (382.0, l2 - 2.0)], Stroke::Line);
    sheet.frame([12.0, l2, 384.0, 22.0], Stroke::Line);
    sheet.left(22.0, l2 + 15.5, Tone::Text, "L2 cache, one for the whole GPU");
    let device = l2 + 22.0 + 18.0;
    sheet.arrow(&[(40.0, l2 + 23.0), (40.0, device - 2.0)], Stroke::Arrow);
    sheet.arrow(&[(52.0, device - 1.0), (52.0, l2 + 24.0)], Stroke::Arrow);
    sheet.frame([12.0, device, 384.0, 42.0], Stroke::Line);
    sheet.left(22.0, device + 15.0, Tone::Text, "device memory, in sectors of 32 bytes");
    let at = |sector: usize| 22.0 + 8.4 * sector as f64 + 3.0 * (sector / SECTORS_OF_LINE) as f64;
    let first = 2 * SECTORS_OF_LINE;
    let is_touched = |sector: &usize| (first..first + sectors).contains(sector);
    let (touched, rest): (Vec<usize>, Vec<usize>) = (0..40).partition(is_touched);
    sheet.boxes((6.6, 12.0), Fill::On, touched.into_iter().map(|sector| (at(sector), device + 23.0)));
    sheet.boxes((6.6, 5.0), Fill::Off, rest.into_iter().map(|sector| (at(sector), device + 26.5)));
    device + 42.0
}
