//! The figures of chapter 4 about sums of many elements: which lane reads what, atomics, wide loads, errors and times.
//!
//! How a lane's result is made is left out; the first half of the chapter shows it.

use anyhow::{Context, Result, bail};
use simt::Location;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::block_sums::{SUM_ATOMIC_LANE, SUM_ATOMIC_WARP, SUM_WARPS_FIRST};
use thirty_two_lanes::kernels::groups::{FILTER_EACH, FILTER_TOGETHER};
use thirty_two_lanes::kernels::sum::{SUM_NARROW, SUM_WIDE};
use thirty_two_lanes::kernels::two_pass::{PASS_CHUNKED, PASS_STRIDED};
use thirty_two_lanes::report::layout::{counted, grouped};
use thirty_two_lanes::{Launch, Random, Run, Traced};

use crate::chart::{Bar, Bars};
use crate::sources::Record;
use crate::warp::{LANES, Strip};
use crate::{Anchor, Fill, Mark, Sheet, Sources, Stroke, Tone};

const CHAPTER: &str = "ch04_shfl";

/// The elements of one warp in the passes.
const FEW: usize = 256;
/// Elements in a sector of 32 bytes.
const IN_SECTOR: usize = 8;

/// The lane that reads an element with the first load of the warp, if one does. The array is made to end right before
/// the element, and the fault names the lane.
fn reader(sources: &mut Sources, kernel: &'static Kernel, element: usize) -> Result<Option<u32>> {
    let (x, sums) = (sources.zeroed::<f32>("x", element)?, sources.zeroed::<f32>("sums", 1)?);
    let launch = Launch::new(kernel, 1, LANES).arg(x).arg(sums).arg(FEW as i32);
    let (run, _) = sources.trial(&launch, sums)?;
    let fault = run.faults.first().context("no lane reads past the end")?;
    let actor = fault.actors.first().context("a fault without an actor")?;
    let past = fault.location.as_ref().and_then(Location::element);
    let is_it = past == Some(element as i64) && run.counters.global_load_requests <= 1;
    Ok(is_it.then_some(actor.lane))
}

pub fn two_pass_reads(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let strip = Strip::squares(62.0, 10.5);
    let mut top = 12.0;
    let mut described = Vec::new();
    for kernel in [&PASS_STRIDED, &PASS_CHUNKED] {
        sheet.sized(4.0, top, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        top += 18.0;
        sheet.left(4.0, top, Tone::Dim, "sector");
        strip.numbers(sheet, top);
        top += 8.0;
        let mut readers = vec![None; FEW];
        for (element, place) in readers.iter_mut().enumerate().skip(1) {
            *place = reader(sources, kernel, element)?;
        }
        // There are no arrays without elements; lane 0 is the only lane left.
        let found: Vec<u32> = readers.iter().flatten().copied().collect();
        if found != (1..LANES).collect::<Vec<_>>() {
            bail!("the first load of `{kernel}` is read by lanes {found:?}");
        }
        readers[0] = Some(0);
        let (x, sums) = (sources.zeroed::<f32>("x", FEW)?, sources.zeroed::<f32>("sums", 1)?);
        let launch = Launch::new(kernel, 1, LANES).arg(x).arg(sums).arg(FEW as i32);
        let counters = sources.trial(&launch, sums)?.0.counters;
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
        described.push(format!(
            "{kernel}: the first load touches {touched} sectors, all {loads} loads {sectors} in sum"
        ));
        top += 32.0;
    }
    Ok(format!(
        "{FEW} elements that one warp adds up on the emulator, a column for each sector of {IN_SECTOR} elements. Large squares are \
         read by the warp's first load, one by each lane. {}.",
        described.join("; ")
    ))
}

/// The lanes that took part in atomic operations on global memory.
fn atomic(step: &Traced) -> bool {
    step.ptx.split_whitespace().any(|word| word.starts_with("atom.") || word.starts_with("red."))
}

pub fn atomics_count(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const N: usize = 4096;
    const BLOCK: u32 = 128;
    let floats = Random::new(0).floats(N, 0.5, 1.5);
    let words: Vec<i32> = Random::new(0).words(N).iter().map(|&word| word as i32).collect();
    let kernels = [&SUM_ATOMIC_LANE, &SUM_ATOMIC_WARP, &SUM_WARPS_FIRST, &FILTER_EACH, &FILTER_TOGETHER];
    let mut top = 12.0;
    let mut described = Vec::new();
    for kernel in kernels {
        let launch = Launch::cover(kernel, N, BLOCK);
        let launch = if kernel.name.starts_with("filter") {
            let (x, kept) = (sources.upload("x", &words)?, sources.zeroed::<i32>("kept", N)?);
            launch.arg(x).arg(kept).arg(sources.zeroed::<i32>("count", 1)?)
        } else {
            launch.arg(sources.upload("x", &floats)?).arg(sources.zeroed::<f32>("total", 1)?)
        };
        let trace = sources.trace(&launch.arg(N as i32))?;
        let atomics: Vec<&Traced> = trace.iter().filter(|step| atomic(step) && step.active != 0).collect();
        let updates: u32 = atomics.iter().map(|step| step.active.count_ones()).sum();
        let updates = counted(updates.into(), "update");
        sheet.sized(4.0, top, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        sheet.right(396.0, top, Tone::Text, &updates);
        described.push(format!("{kernel}: {updates} in {} requests", atomics.len()));
        for warp in 0..BLOCK / LANES {
            // A small gap between warps.
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
        "The four warps of one block, a bar for each lane; a lane with a high one executes an atomic on global memory. On the right the updates \
         of the whole launch, {} elements in blocks of {BLOCK} on the emulator. {}.",
        grouped(N as u64),
        described.join("; ")
    ))
}

/// The requests and sectors of the loads in the loop of a sum, by its line of CUDA.
fn loads(run: &Run) -> Result<(u64, u64)> {
    let counters = run.lines.iter().map(|line| &line.counters);
    let most =
        counters.max_by_key(|counters| counters.global_load_sectors).context("no line loads anything")?;
    Ok((most.global_load_requests, most.global_load_sectors))
}

pub fn wide_loads(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const N: usize = 128;
    let mut described = Vec::new();
    let mut top = 12.0;
    for kernel in [&SUM_NARROW, &SUM_WIDE] {
        let (x, sums) = (sources.upload("x", &vec![1.0_f32; N])?, sources.zeroed::<f32>("sums", 1)?);
        let (tickets, total) = (sources.zeroed::<u32>("tickets", 1)?, sources.zeroed::<f32>("total", 1)?);
        let launch = Launch::new(kernel, 1, LANES).arg(x).arg(sums).arg(tickets).arg(total).arg(N as i32);
        let (requests, sectors) = loads(&sources.trial(&launch, total)?.0)?;
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
        described.push(format!("{kernel}: {text}"));
        top += 82.0;
    }
    let record = sources.emulated(CHAPTER, 0)?;
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
        let values_in_words: Vec<String> =
            bars.iter().map(|bar| format!("{} {}", bar.name, bar.label)).collect();
        described.push(format!("{of_record}: {}", values_in_words.join(", ")));
    }
    Ok(format!(
        "One warp that loads {N} floats on the emulator: a frame for each request, a square for each sector in it. Below, the \
         whole sums of the chapter. {}.",
        described.join("; ")
    ))
}

/// A number with one decimal, and from a thousand on without.
fn one_place(number: f64) -> String {
    if number < 1000.0 { format!("{number:.1}") } else { grouped(number.round() as u64) }
}

pub fn precision(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let record = sources.emulated(CHAPTER, 0)?;
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
    let mut described = Vec::new();
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
        described.push(format!("{name} {label}"));
    }
    sheet.middle(left + width / 2.0, bottom + 33.0, Tone::Text, "error in roundings, on a logarithmic axis");
    let elements = grouped(record.fact("order_tree", "elements")? as u64);
    Ok(format!(
        "How far off a sum of {elements} floats is on the emulator, in roundings of one addition, on a logarithmic axis. {}.",
        described.join(", ")
    ))
}

pub fn sum_time(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let record = sources.measured(CHAPTER, 0)?;
    let small = ["clock_shared", "clock_shuffle", "clock_each_warp"];
    let large = [
        "sum_shared",
        "sum_shuffle",
        "two_pass",
        "two_pass_chunked",
        "sum_narrow",
        "sum_wide",
        "sum_last_block",
    ];
    let note = sources.measured(CHAPTER, 1)?;
    // One thread for each element.
    let small_size = f64::from(LANES) * record.counter("clock_shared", "warps")?;
    let large_size = note.setting("size")?;

    let bars = |record: &Record, names: &[&str], size: Option<f64>| -> Result<Vec<Bar>> {
        let bar = |name: &&str| {
            let value = record.time_us(name)?;
            // Bytes per microsecond are thousandths of gigabytes per second.
            let rate =
                size.map(|size| format!(" ({} GB/s)", grouped((4.0 * size / value / 1000.0).round() as u64)));
            let label = format!("{} µs{}", one_place(value), rate.unwrap_or_default());
            Ok(Bar { name: (*name).to_owned(), value, label, fill: Fill::A })
        };
        names.iter().map(bar).collect()
    };
    let mut described = Vec::new();
    let mut y = 12.0;
    let tables =
        [(small_size, bars(&record, &small, None)?), (large_size, bars(&note, &large, Some(large_size))?)];
    for (size, bars) in tables {
        let head = format!("{} floats", grouped(size as u64));
        sheet.left(4.0, y, Tone::Dim, &head);
        let most = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
        let shape = Bars { x: 138.0, width: 122.0, most, pitch: 20.0, tone: Tone::Mono };
        y = shape.draw(sheet, y + 11.0, &bars) + 30.0;
        let values: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.name, bar.label)).collect();
        described.push(format!("{head}: {}", values.join(", ")));
    }
    Ok(format!(
        "Times of sums in single precision on an NVIDIA H200, blocks of 128 threads. {}.",
        described.join("; ")
    ))
}
