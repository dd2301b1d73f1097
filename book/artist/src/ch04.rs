//! The figures of chapter 4: votes, shuffles, lanes and their numbers, and the sums that are made of them.
//!
//! It leaves out what the pictures of the report have as well: widths that are no power of two, and groups.

use anyhow::{Context, Result, bail};
use lanes::kernel::Kernel;
use lanes::kernels::block_sums::{LANES_DOWN, LANES_XOR, SUM_ATOMIC_LANE, SUM_ATOMIC_WARP, SUM_WARPS_FIRST};
use lanes::kernels::groups::{FILTER_EACH, FILTER_TOGETHER};
use lanes::kernels::shuffles::{
    LANE_MODULO, LANE_OF_RANK, MATCH_WARP, SHUFFLE_DOWN, SHUFFLE_IDX, SHUFFLE_UP, SHUFFLE_XOR, VOTE_WARP,
};
use lanes::kernels::sum::{SUM_NARROW, SUM_WIDE};
use lanes::kernels::two_pass::{PASS_CHUNKED, PASS_STRIDED};
use lanes::report::layout::{counted, grouped};
use lanes::{Launch, Random, Run, Traced};

use crate::chart::{Bar, Bars};
use crate::timeline::legend;
use crate::warp::{LANES, Strip};
use crate::{Anchor, Figure, Fill, Mark, Sheet, Stroke, Studio, Tone};

pub const FIGURES: &[Figure] = &[
    Figure { name: "votes", title: "What a warp is told by ballot and by match", draw: votes },
    Figure { name: "shuffle_idx", title: "A shuffle by index, in every width", draw: shuffle_idx },
    Figure { name: "shuffle_up", title: "A shuffle up, in every width", draw: shuffle_up },
    Figure { name: "shuffle_down", title: "A shuffle down, in every width", draw: shuffle_down },
    Figure { name: "shuffle_xor", title: "A shuffle by xor, in every width", draw: shuffle_xor },
    Figure {
        name: "down_against_xor",
        title: "Whose elements each lane has added up",
        draw: down_against_xor,
    },
    Figure { name: "lane_ids", title: "Lane numbers in a block of 8 by 8 threads", draw: lane_ids },
    Figure { name: "two_pass_reads", title: "What the first load of a warp reads", draw: two_pass_reads },
    Figure { name: "atomics_count", title: "Which lanes of a block do an atomic", draw: atomics_count },
    Figure {
        name: "wide_loads",
        title: "Requests and sectors of narrow and of wide loads",
        draw: wide_loads,
    },
    Figure {
        name: "precision",
        title: "How far off a sum is, by the order of its additions",
        draw: precision,
    },
    Figure { name: "sum_time", title: "How long sums take on an H200", draw: sum_time },
];

const CHAPTER: &str = "ch04_shfl";

/// Where strips with a label on the left stand.
const STRIP: Strip = Strip::squares(62.0, 10.5);

/// One line of strips, and its label.
fn labelled(sheet: &mut Sheet, y: f64, label: &str) {
    sheet.left(4.0, y + 9.0, Tone::Text, label);
}

/// Three warps of small numbers, as in the chapter: from 0 to 3, then from 1 to 4, then all 0.
fn small_numbers() -> Vec<i32> {
    let words = Random::new(0).words(96);
    (0..96).map(|i| [(words[i] % 4) as i32, 1 + (words[i] % 4) as i32, 0][i / 32]).collect()
}

fn votes(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let values = small_numbers();
    let (x, y) = (studio.upload("x", &values)?, studio.zeroed::<u32>("y", 3 * 96)?);
    let (_, voted) = studio.trial(&Launch::new(&VOTE_WARP, 1, 96).arg(x).arg(y), y)?;
    let (_, matched) = studio.trial(&Launch::new(&MATCH_WARP, 1, 96).arg(x).arg(y), y)?;

    STRIP.numbers(sheet, 12.0);
    let mut row = 20.0;
    labelled(sheet, row, "x");
    for (lane, value) in (0..LANES).zip(&values) {
        sheet.sized(STRIP.centre(lane), row + 9.0, Anchor::Middle, Tone::Text, 12.0, &value.to_string());
    }
    row += 19.0;
    labelled(sheet, row, "x > 0");
    STRIP.mask(sheet, row, voted[0], Fill::On);
    row += 23.0;
    let mut masks: Vec<u32> = matched.iter().step_by(3).take(32).copied().collect();
    masks.sort_unstable_by_key(|mask| values[mask.trailing_zeros() as usize]);
    masks.dedup();
    for (mask, fill) in masks.iter().zip([Fill::A, Fill::B, Fill::C, Fill::D]) {
        labelled(sheet, row, &format!("x = {}", values[mask.trailing_zeros() as usize]));
        STRIP.mask(sheet, row, *mask, fill);
        row += 15.0;
    }
    row += 22.0;
    let columns = [110.0, 175.0, 245.0, 330.0];
    let heads = ["all", "any", "match_all"];
    for (x, head) in columns[1..].iter().zip(heads) {
        sheet.middle(*x, row, Tone::Dim, head);
    }
    let mut told = Vec::new();
    for (warp, first) in (0..).zip((0..3 * 96).step_by(96)) {
        row += 17.0;
        sheet.right(columns[0], row, Tone::Text, &format!("warp {warp}"));
        let answers = [voted[first + 1], voted[first + 2], matched[first + 2]].map(|yes| yes != 0);
        let mut words = Vec::new();
        for (x, (yes, head)) in columns[1..].iter().zip(answers.iter().zip(heads)) {
            let word = if *yes { "yes" } else { "no" };
            sheet.middle(*x, row, if *yes { Tone::Strong } else { Tone::Text }, word);
            words.push(format!("{head} {word}"));
        }
        told.push(format!("warp {warp}: {}", words.join(", ")));
    }
    let lanes: Vec<String> = masks.iter().map(|mask| mask.count_ones().to_string()).collect();
    Ok(format!(
        "The first of three warps on the emulator, a column for each lane: its x, the mask that ballot of x > 0 tells every \
         lane, {:#010x}, and the masks that match tells the lanes of each x, with {} lanes. Below, what the three warps \
         are told. {}.",
        voted[0],
        lanes.join(", "),
        told.join("; ")
    ))
}

fn shuffle_idx(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    shuffle(studio, sheet, &SHUFFLE_IDX, 5)
}

fn shuffle_up(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    shuffle(studio, sheet, &SHUFFLE_UP, 2)
}

fn shuffle_down(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    shuffle(studio, sheet, &SHUFFLE_DOWN, 2)
}

fn shuffle_xor(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    shuffle(studio, sheet, &SHUFFLE_XOR, 1)
}

/// One warp, every width: lanes bring their numbers, and what a lane gets is where it has it from.
fn shuffle(studio: &mut Studio, sheet: &mut Sheet, kernel: &'static Kernel, argument: i32) -> Result<String> {
    const APART: f64 = 34.0;
    let lanes: Vec<i32> = (0..32).collect();
    let (x, y) = (studio.upload("x", &lanes)?, studio.zeroed::<i32>("y", 32)?);
    STRIP.numbers(sheet, 12.0);
    let mut top = 19.0;
    let mut told = Vec::new();
    for width in [2, 4, 8, 16, 32] {
        let launch = Launch::new(kernel, 1, LANES).arg(x).arg(y).arg(argument).arg(width as i32);
        let (_, got) = studio.trial(&launch, y)?;
        let source = |lane: u32| got[lane as usize] as u32;
        let bottom = top + APART;
        labelled(sheet, f64::midpoint(top, bottom), &format!("width {width}"));
        STRIP.mask(sheet, top, u32::MAX, Fill::On);
        for lane in 0..LANES {
            let (from, to) = (STRIP.centre(source(lane)), STRIP.centre(lane));
            let stroke = if source(lane) == lane { Stroke::Grid } else { Stroke::Arrow };
            sheet.line(&[(from, top + STRIP.width() + 1.0), (to, bottom - 1.0)], stroke);
        }
        STRIP.cells(sheet, bottom, |lane| Some(if source(lane) == lane { Fill::Off } else { Fill::On }));
        for first in (width..LANES).step_by(width as usize) {
            let x = STRIP.lane(first) - 0.5;
            sheet.line(&[(x, top - 2.0), (x, bottom + STRIP.width() + 2.0)], Stroke::Line);
        }
        let own = (0..LANES).filter(|&lane| source(lane) == lane).count();
        told.push(format!("width {width}: {own}"));
        top = bottom + STRIP.width() + 15.0;
    }
    Ok(format!(
        "One warp of {kernel} with argument {argument} on the emulator, for each of five widths two strips: the lanes that give, \
         above, and the lanes that get, below; a line goes from where a lane's value comes from. Upright lines part the \
         segments. Lanes that get their own value back, of {LANES}, are small. {}.",
        told.join(", ")
    ))
}

/// How often each lane's result has each element in it: a row for each element.
fn weights(studio: &mut Studio, kernel: &'static Kernel) -> Result<Vec<Vec<i32>>> {
    let (x, y) = (studio.zeroed::<i32>("x", 32)?, studio.zeroed::<i32>("y", 32)?);
    let launch = Launch::new(kernel, 1, LANES).arg(x).arg(y);
    let one = |element| {
        let mut values = vec![0; 32];
        values[element] = 1;
        studio.write(x, &values)?;
        Ok(studio.trial(&launch, y)?.1)
    };
    (0..32).map(one).collect()
}

fn down_against_xor(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    const TOP: f64 = 44.0;
    const PITCH: f64 = 5.3;
    let mut told = Vec::new();
    for (left, kernel) in [(46.0, &LANES_DOWN), (227.0, &LANES_XOR)] {
        let weights = weights(studio, kernel)?;
        let strip = Strip::squares(left, PITCH);
        sheet.sized(left, 12.0, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        sheet.right(strip.end(), 12.0, Tone::Dim, "element");
        for element in [0, 8, 16, 24, 31] {
            sheet.sized(
                strip.centre(element),
                TOP - 5.0,
                Anchor::Middle,
                Tone::Dim,
                12.0,
                &element.to_string(),
            );
        }
        let place = |lane: usize, element: usize| (strip.lane(element as u32), TOP + PITCH * lane as f64);
        let cells = |is_so: &dyn Fn(i32) -> bool| -> Vec<(usize, usize)> {
            let all = (0..32).flat_map(|lane| (0..32).map(move |element| (lane, element)));
            all.filter(|&(lane, element)| is_so(weights[element][lane])).collect()
        };
        let once = cells(&|weight| weight == 1);
        let often = cells(&|weight| weight > 1);
        let at = |cells: Vec<(usize, usize)>| cells.into_iter().map(|(lane, element)| place(lane, element));
        sheet.boxes((strip.width(), strip.width()), Fill::On, at(once));
        for (x, y) in at(often) {
            sheet.mark((x + strip.width() / 2.0, y + strip.width() / 2.0), 2.6, Mark::Cross, Fill::Bad);
        }
        sheet.frame([left - 1.5, TOP - 1.5, strip.end() - left + 3.0, 32.0 * PITCH + 2.0], Stroke::Line);
        let have = (0..32).filter(|&lane| weights.iter().all(|lanes| lanes[lane] == 1)).count();
        let base = TOP + 32.0 * PITCH + 19.0;
        sheet.left(left, base, Tone::Text, &format!("{have} of {LANES} have the sum"));
        told.push(format!("{kernel}: {have} of {LANES} lanes have the sum"));
    }
    for lane in [0, 8, 16, 24, 31] {
        let y = TOP + PITCH * (f64::from(lane) + 0.5) + 4.0;
        let label = if lane == 0 { "lane 0".to_owned() } else { lane.to_string() };
        sheet.sized(40.0, y, Anchor::End, Tone::Dim, 12.0, &label);
    }
    let marks = [(Mark::Square, Fill::On, "element added once"), (Mark::Cross, Fill::Bad, "more than once")];
    legend(sheet, 46.0, sheet.bottom() + 19.0, &marks);
    Ok(format!(
        "A row for each lane of one warp on the emulator, a column for each element: a square if the lane's result has the \
         element in it once, a cross if more than once. {}.",
        told.join("; ")
    ))
}

fn lane_ids(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    const SIDE: usize = 8;
    const PITCH: f64 = 22.5;
    let mut told = Vec::new();
    for (left, kernel) in [(4.0, &LANE_MODULO), (214.0, &LANE_OF_RANK)] {
        let y = studio.zeroed::<i32>("y", SIDE * SIDE)?;
        let (_, got) = studio.trial(&Launch::new(kernel, 1, (8, 8)).arg(y).arg(32_i32), y)?;
        sheet.sized(left, 12.0, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        let mut wrong = 0;
        for (thread, &number) in got.iter().enumerate() {
            let is_right = number as usize == thread % 32;
            wrong += usize::from(!is_right);
            // The second warp stands a little lower.
            let below = if thread < 32 { 0.0 } else { 16.0 };
            let (x, y) =
                (left + PITCH * (thread % SIDE) as f64, 36.0 + PITCH * (thread / SIDE) as f64 + below);
            let tone = if is_right { Tone::Text } else { Tone::Dim };
            sheet.middle(x + 10.0, y + 12.0, tone, &number.to_string());
            let fill = if is_right { Fill::Good } else { Fill::Bad };
            if is_right {
                sheet.rect([x + 2.0, y + 15.0, 16.0, 2.2], fill);
            } else {
                sheet.mark((x + 10.0, y + 16.5), 1.8, Mark::Cross, fill);
            }
        }
        for (warp, y) in [(0, 31.0), (1, 31.0 + 4.0 * PITCH + 16.0)] {
            sheet.left(left, y, Tone::Dim, &format!("warp {warp}"));
        }
        let base = 36.0 + SIDE as f64 * PITCH + 16.0 + 18.0;
        let tone = if wrong == 0 { Tone::Text } else { Tone::Strong };
        sheet.left(left, base, tone, &format!("{wrong} of {} wrong", SIDE * SIDE));
        told.push(format!("{kernel}: {wrong} of {} threads are told a wrong lane", SIDE * SIDE));
    }
    Ok(format!(
        "A block of 8 by 8 threads on the emulator, each with the lane number that the kernel works out; the upper four rows are \
         warp 0, the lower four warp 1. A bar stands under right numbers, a cross under wrong ones. {}.",
        told.join("; ")
    ))
}

/// The elements of one warp in the passes.
const FEW: usize = 256;
/// Elements in a sector of 32 bytes.
const IN_SECTOR: usize = 8;

/// Who reads an element by the first load of the warp, if anybody: the array ends right before it, and the fault names
/// the lane.
fn reader(studio: &mut Studio, kernel: &'static Kernel, element: usize) -> Result<Option<u32>> {
    let (x, sums) = (studio.zeroed::<f32>("x", element)?, studio.zeroed::<f32>("sums", 1)?);
    let launch = Launch::new(kernel, 1, LANES).arg(x).arg(sums).arg(FEW as i32);
    let (run, _) = studio.trial(&launch, sums)?;
    let fault = run.faults.first().context("nobody reads past the end")?;
    let actor = fault.actors.first().context("a fault without an actor")?;
    let is_it = fault.message.starts_with("just past the end") && run.counters.global_load_requests <= 1;
    Ok(is_it.then_some(actor.lane))
}

fn two_pass_reads(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let strip = Strip::squares(62.0, 10.5);
    let mut top = 12.0;
    let mut told = Vec::new();
    for kernel in [&PASS_STRIDED, &PASS_CHUNKED] {
        sheet.sized(4.0, top, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        top += 18.0;
        sheet.left(4.0, top, Tone::Dim, "sector");
        strip.numbers(sheet, top);
        top += 8.0;
        let mut readers = vec![None; FEW];
        for (element, place) in readers.iter_mut().enumerate().skip(1) {
            *place = reader(studio, kernel, element)?;
        }
        // An array of no elements cannot be had; lane 0 is who is left.
        let found: Vec<u32> = readers.iter().flatten().copied().collect();
        if found != (1..LANES).collect::<Vec<_>>() {
            bail!("the first load of `{kernel}` is read by lanes {found:?}");
        }
        readers[0] = Some(0);
        let (x, sums) = (studio.zeroed::<f32>("x", FEW)?, studio.zeroed::<f32>("sums", 1)?);
        let launch = Launch::new(kernel, 1, LANES).arg(x).arg(sums).arg(FEW as i32);
        let counters = studio.trial(&launch, sums)?.0.counters;
        for row in 0..IN_SECTOR {
            let y = top + 10.5 * row as f64;
            let is_read = |sector: u32| readers[sector as usize * IN_SECTOR + row].is_some();
            strip.cells(sheet, y, |sector| Some(if is_read(sector) { Fill::On } else { Fill::Off }));
        }
        sheet.sized(56.0, top + 9.0, Anchor::End, Tone::Dim, 12.0, "word 0");
        let last = top + 10.5 * (IN_SECTOR - 1) as f64 + 9.0;
        sheet.sized(56.0, last, Anchor::End, Tone::Dim, 12.0, &(IN_SECTOR - 1).to_string());
        top += 10.5 * IN_SECTOR as f64 + 15.0;
        let touched = readers.chunks(IN_SECTOR).filter(|sector| sector.iter().any(Option::is_some)).count();
        let (loads, sectors) = (counters.global_load_requests, counters.global_load_sectors);
        sheet.left(strip.x, top, Tone::Strong, &format!("first load: {}", counted(touched as u64, "sector")));
        sheet.right(strip.end(), top, Tone::Text, &format!("all {loads} loads: {sectors} sectors"));
        told.push(format!(
            "{kernel}: the first load touches {touched} sectors, all {loads} loads {sectors} in sum"
        ));
        top += 32.0;
    }
    Ok(format!(
        "{FEW} elements that one warp adds up on the emulator, a column for each sector of {IN_SECTOR} elements. Large squares are \
         read by the warp's first load, one by each lane. {}.",
        told.join("; ")
    ))
}

/// The lanes that took part in atomics on global memory.
fn atomic(step: &Traced) -> bool {
    step.ptx.split_whitespace().any(|word| word.starts_with("atom.") || word.starts_with("red."))
}

fn atomics_count(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    const N: usize = 4096;
    const BLOCK: u32 = 128;
    let floats = Random::new(0).floats(N, 0.5, 1.5);
    let words: Vec<i32> = Random::new(0).words(N).iter().map(|&word| word as i32).collect();
    let kernels = [&SUM_ATOMIC_LANE, &SUM_ATOMIC_WARP, &SUM_WARPS_FIRST, &FILTER_EACH, &FILTER_TOGETHER];
    let mut top = 12.0;
    let mut told = Vec::new();
    for kernel in kernels {
        let launch = Launch::cover(kernel, N, BLOCK);
        let launch = if kernel.name.starts_with("filter") {
            let (x, kept) = (studio.upload("x", &words)?, studio.zeroed::<i32>("kept", N)?);
            launch.arg(x).arg(kept).arg(studio.zeroed::<i32>("count", 1)?)
        } else {
            launch.arg(studio.upload("x", &floats)?).arg(studio.zeroed::<f32>("total", 1)?)
        };
        let trace = studio.trace(&launch.arg(N as i32))?;
        let atomics: Vec<&Traced> = trace.iter().filter(|step| atomic(step) && step.active != 0).collect();
        let updates: u32 = atomics.iter().map(|step| step.active.count_ones()).sum();
        let updates = counted(updates.into(), "update");
        sheet.sized(4.0, top, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        sheet.right(396.0, top, Tone::Text, &updates);
        told.push(format!("{kernel}: {updates} in {} requests", atomics.len()));
        for warp in 0..BLOCK / LANES {
            // A little room between warps.
            let strip = Strip::squares(4.0 + 98.5 * f64::from(warp), 3.0);
            let mask = atomics.iter().filter(|step| step.block.x == 0 && step.warp == warp);
            let mask = mask.fold(0, |mask, step| mask | step.active);
            for lane in 0..LANES {
                let is_in = mask >> lane & 1 == 1;
                let (y, height, fill) =
                    if is_in { (top + 7.0, 14.0, Fill::On) } else { (top + 19.5, 1.5, Fill::Off) };
                sheet.rect([strip.lane(lane), y, strip.width(), height], fill);
            }
        }
        top += 44.0;
    }
    for warp in 0..BLOCK / LANES {
        sheet.left(4.0 + 98.5 * f64::from(warp), top - 4.0, Tone::Dim, &format!("warp {warp}"));
    }
    Ok(format!(
        "The four warps of one block, a bar for each lane; a high one does an atomic on global memory. On the right the updates \
         of the whole launch, {} elements in blocks of {BLOCK} on the emulator. {}.",
        grouped(N as u64),
        told.join("; ")
    ))
}

/// What the loop of a sum loads, by its line of CUDA: requests and sectors.
fn loads(run: &Run) -> Result<(u64, u64)> {
    let counters = run.lines.iter().map(|line| &line.counters);
    let most =
        counters.max_by_key(|counters| counters.global_load_sectors).context("no line loads anything")?;
    Ok((most.global_load_requests, most.global_load_sectors))
}

fn wide_loads(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    const N: usize = 128;
    let mut told = Vec::new();
    let mut top = 12.0;
    for kernel in [&SUM_NARROW, &SUM_WIDE] {
        let (x, sums) = (studio.upload("x", &vec![1.0_f32; N])?, studio.zeroed::<f32>("sums", 1)?);
        let (tickets, total) = (studio.zeroed::<u32>("tickets", 1)?, studio.zeroed::<f32>("total", 1)?);
        let launch = Launch::new(kernel, 1, LANES).arg(x).arg(sums).arg(tickets).arg(total).arg(N as i32);
        let (requests, sectors) = loads(&studio.trial(&launch, total)?.0)?;
        let each = sectors / requests;
        let bytes = N as u64 * 4 / requests / u64::from(LANES);
        sheet.sized(4.0, top, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        sheet.right(396.0, top, Tone::Text, &format!("{bytes} bytes a lane"));
        let whole = 392.0 / requests as f64;
        for request in 0..requests {
            let left = 4.0 + whole * request as f64;
            let width = whole - if request + 1 < requests { 8.0 } else { 0.0 };
            sheet.frame([left, top + 9.0, width, 30.0], Stroke::Line);
            let pitch = (width - 8.0) / each as f64;
            let side = pitch.min(19.0) - 3.0;
            let at = (0..each).map(|sector| {
                let middle = left + 4.0 + pitch * (sector as f64 + 0.5);
                (middle - side / 2.0, top + 24.0 - side / 2.0)
            });
            sheet.boxes((side, side), Fill::On, at);
        }
        let text = format!("{} of {}", counted(requests, "request"), counted(each, "sector"));
        sheet.left(4.0, top + 54.0, Tone::Dim, &text);
        told.push(format!("{kernel}: {text}"));
        top += 82.0;
    }
    let record = studio.record(CHAPTER, "h200.json")?;
    let names = ["sum_narrow", "sum_wide", "sum_last_block"];
    top += 2.0;
    for (counter, what, fill) in
        [("global_load_requests", "requests", Fill::A), ("global_load_sectors", "sectors", Fill::B)]
    {
        let values: Vec<f64> =
            names.iter().map(|name| record.counter(name, counter)).collect::<Result<_>>()?;
        let most = values.iter().copied().fold(0.0, f64::max);
        let of_record = format!("{what}, {} elements", grouped(record.setting("size")? as u64));
        sheet.left(4.0, top, Tone::Dim, &of_record);
        let bars: Vec<Bar> = names
            .iter()
            .zip(&values)
            .map(|(name, &value)| {
                let label = grouped(value as u64);
                Bar { name: (*name).to_owned(), value, label, fill }
            })
            .collect();
        let shape = Bars { x: 122.0, width: 225.0, most, pitch: 19.0, tone: Tone::Mono };
        top = shape.draw(sheet, top + 10.0, &bars) + 30.0;
        let told_values: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.name, bar.label)).collect();
        told.push(format!("{of_record}: {}", told_values.join(", ")));
    }
    Ok(format!(
        "One warp that loads {N} floats on the emulator: a frame for each request, a square for each sector in it. Below, the \
         whole sums of the chapter. {}.",
        told.join("; ")
    ))
}

/// A number to one place, and without it from a thousand on.
fn one_place(number: f64) -> String {
    if number < 1000.0 { format!("{number:.1}") } else { grouped(number.round() as u64) }
}

fn precision(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let record = studio.record(CHAPTER, "h200.json")?;
    let groups: [(&str, &[&str]); 2] = [
        (
            "elements around 1",
            &["order_one_thread", "order_atomics", "order_blocks", "order_two_passes", "order_tree"],
        ),
        ("equal elements", &["equal_one_thread", "equal_tree"]),
    ];
    let (left, width) = (146.0, 196.0);
    let (low, high) = (0.1_f64.log10(), 100_000.0_f64.log10());
    let place = |value: f64| left + width * (value.max(0.1).log10() - low) / (high - low);
    let mut y = 12.0;
    let mut told = Vec::new();
    let mut rows = Vec::new();
    for (head, names) in groups {
        sheet.left(4.0, y, Tone::Dim, head);
        y += 20.0;
        for name in names {
            rows.push((*name, y, record.fact(name, "roundings_off")?));
            y += 20.0;
        }
        y += 10.0;
    }
    let bottom = y - 18.0;
    for tick in [0.1, 1.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0] {
        let x = place(tick);
        sheet.line(&[(x, 20.0), (x, bottom)], Stroke::Grid);
        let label = match tick {
            1000.0.. => format!("{}k", tick / 1000.0),
            _ => tick.to_string(),
        };
        sheet.sized(x, bottom + 15.0, Anchor::Middle, Tone::Dim, 12.0, &label);
    }
    for (name, y, off) in rows {
        sheet.sized(left - 12.0, y + 4.0, Anchor::End, Tone::Mono, 12.5, name);
        let label = one_place(off);
        if off < 0.1 {
            sheet.mark((left, y), 4.5, Mark::Diamond, Fill::Good);
            sheet.left(left + 10.0, y + 4.3, Tone::Text, &label);
        } else {
            sheet.line(&[(left, y), (place(off), y)], Stroke::A);
            sheet.mark((place(off), y), 4.5, Mark::Disc, Fill::A);
            sheet.left(place(off) + 9.0, y + 4.3, Tone::Text, &label);
        }
        told.push(format!("{name} {label}"));
    }
    sheet.middle(left + width / 2.0, bottom + 33.0, Tone::Text, "roundings off, each tick ten times as many");
    let elements = grouped(record.fact("order_tree", "elements")? as u64);
    Ok(format!(
        "How far off a sum of {elements} floats is on the emulator, in roundings of one addition, on a logarithmic axis. {}.",
        told.join(", ")
    ))
}

/// The times of a table in a report: the column before the last, in microseconds.
fn times(report: &str, names: &[&str]) -> Result<Vec<f64>> {
    let time = |name: &&str| {
        let mut lines = report.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let row =
            lines.find(|words| words.first() == Some(name)).with_context(|| format!("no row `{name}`"))?;
        let cell = row.len().checked_sub(2).map(|column| row[column].replace(',', ""));
        cell.and_then(|cell| cell.parse().ok()).with_context(|| format!("row `{name}` has no time"))
    };
    names.iter().map(time).collect()
}

fn sum_time(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let record = studio.record(CHAPTER, "h200.json")?;
    let small = ["clock_shared", "clock_shuffle", "clock_each_warp"];
    let small_times: Vec<f64> = small.iter().map(|name| record.time_us(name)).collect::<Result<_>>()?;
    let path = format!("chapters/{CHAPTER}/output/h200_note_size.txt");
    let report = studio.file(&path)?;
    let large = [
        "sum_shared",
        "sum_shuffle",
        "two_pass",
        "two_pass_chunked",
        "sum_narrow",
        "sum_wide",
        "sum_last_block",
    ];
    let large_times = times(&report, &large)?;
    let with = report.lines().find_map(|line| line.strip_prefix("with:")).unwrap_or_default();
    let size = with.split(',').find_map(|setting| setting.trim().strip_prefix("size "));
    let large_size: f64 = size.and_then(|size| size.parse().ok()).context("the report has no size")?;
    // A thread for each element, and no more.
    let small_size = f64::from(LANES) * record.counter("clock_shared", "warps")?;

    let bars = |names: &[&str], times: &[f64], size: Option<f64>| -> Vec<Bar> {
        let bar = |(name, &value): (&&str, &f64)| {
            // Bytes in a microsecond are a thousandth of gigabytes in a second.
            let rate = size.map(|size| format!(" ({:.0} GB/s)", 4.0 * size / value / 1000.0));
            let label = format!("{} µs{}", one_place(value), rate.unwrap_or_default());
            Bar { name: (*name).to_owned(), value, label, fill: Fill::A }
        };
        names.iter().zip(times).map(bar).collect()
    };
    let mut told = Vec::new();
    let mut y = 12.0;
    let tables = [
        (small_size, bars(&small, &small_times, None)),
        (large_size, bars(&large, &large_times, Some(large_size))),
    ];
    for (size, bars) in tables {
        let head = format!("{} floats", grouped(size as u64));
        sheet.left(4.0, y, Tone::Dim, &head);
        let most = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
        let shape = Bars { x: 138.0, width: 128.0, most, pitch: 20.0, tone: Tone::Mono };
        y = shape.draw(sheet, y + 11.0, &bars) + 30.0;
        let values: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.name, bar.label)).collect();
        told.push(format!("{head}: {}", values.join(", ")));
    }
    Ok(format!(
        "Times of sums in single precision on an NVIDIA H200, blocks of 128 threads. {}.",
        told.join("; ")
    ))
}
