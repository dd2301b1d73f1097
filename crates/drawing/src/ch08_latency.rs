//! Figures of chapter 8: hiding latency.
//!
//! Two are from runs of the emulator, and the others show times of a GPU. As long as there is no record of one, these
//! show the axes and say so. What a multiprocessor does in each cycle is left out, because nothing here can see that.

use anyhow::{Context, Result};
use thirty_two_lanes::Launch;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::in_flight::{STREAM_1, STREAM_4};
use thirty_two_lanes::report::layout::grouped;

use crate::Figure;
use crate::chart::{Axis, Bar, Bars, Chart};
use crate::sheet::{Anchor, Fill, Mark, Sheet, Stroke, Tone};
use crate::sources::{Record, Sources};
use crate::timeline::legend;

pub const FIGURES: &[Figure] = &[
    Figure { name: "chase_time", title: "The time of one load, by where the bytes are", draw: chase_time },
    Figure { name: "loads_and_uses", title: "Which instruction waits for which load", draw: loads_and_uses },
    Figure {
        name: "chains_rate",
        title: "Additions per nanosecond, by warps and by chains",
        draw: chains_rate,
    },
    Figure {
        name: "bytes_in_flight",
        title: "What memory delivers, by the bytes in flight",
        draw: bytes_in_flight,
    },
    Figure {
        name: "blocks_that_fit",
        title: "Warps of a multiprocessor, by the size of blocks",
        draw: blocks_that_fit,
    },
];

const CHAPTER: &str = "ch08_latency";

/// A run, with what a GPU measured in it if there is a record.
fn measured(sources: &mut Sources, run: usize, row: &str) -> Result<(Record, bool)> {
    if let Ok(record) = sources.measured(CHAPTER, run)
        && record.time_us(row).is_ok()
    {
        return Ok((record, true));
    }
    Ok((sources.emulated(CHAPTER, run)?, false))
}

/// The text in the place of missing times.
const UNMEASURED: &str = "no record of a GPU yet";

fn chase_time(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const ROWS: [&str; 3] = ["chase_16kib", "chase_4mib", "chase_array"];
    let (record, is_measured) = measured(sources, 1, ROWS[0])?;
    let mut bars = Vec::new();
    for row in ROWS {
        let kib = record.fact(row, "footprint_kib")?;
        let name = if kib < 1024.0 { format!("{kib} KiB") } else { format!("{} MiB", kib / 1024.0) };
        let ns = if is_measured { record.fact(row, "ns_per_load")? } else { 0.0 };
        let label = if is_measured { format!("{ns:.0} ns") } else { UNMEASURED.to_owned() };
        bars.push(Bar { name, value: ns, label, fill: Fill::A });
    }
    let most = bars.iter().map(|bar| bar.value).fold(1.0, f64::max);
    let look = Bars { x: 76.0, width: 250.0, most, pitch: 26.0, tone: Tone::Text };
    look.draw(sheet, 8.0, &bars);
    let described: Vec<String> = bars.iter().map(|bar| format!("{}: {}", bar.name, bar.label)).collect();
    let described = described.join(". ");
    Ok(format!("Bars of the time of one load on an H200, by what the loads are spread over. {described}."))
}

/// The elements of each thread: enough for four rounds of a thread that loads one at a time.
const ELEMENTS: usize = 4;
/// The machine code, and its loop in `stream_4`, whose rounds have this many elements.
const MACHINE_CODE: &str = "chapters/ch08_latency/output/h200_machine_code.txt";

fn loads_and_uses(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let text = sources.file(MACHINE_CODE)?;
    let machine = text.lines().skip_while(|line| !line.starts_with("stream_4 ")).skip(1);
    let machine: Vec<String> = machine.take_while(|line| !line.is_empty()).map(without_address).collect();
    let codes = [
        ("stream_1, PTX", executed(sources, &STREAM_1)?),
        ("stream_4, PTX", executed(sources, &STREAM_4)?),
        ("stream_4, machine code", machine),
    ];
    let (mut described, mut top) = (Vec::new(), 8.0);
    for (name, code) in &codes {
        let (waits, end) = draw_code(sheet, top, name, code);
        described.push(format!("{name}: {waits}"));
        top = end + 20.0;
    }
    let marks = [(Mark::Square, Fill::A, "loads"), (Mark::Square, Fill::B, "needs what was loaded")];
    legend(sheet, 4.0, top + 2.0, &marks);
    Ok(format!(
        "The instructions of one warp in order, for kernels that add the same {ELEMENTS} elements in each thread. Arcs lead from \
         each load to the addition that needs it. How often the warp waits if it issues them in that order: {}.",
        described.join("; ")
    ))
}

/// An instruction of machine code without its address.
fn without_address(line: &str) -> String {
    line.trim().split_once("  ").map_or(line, |(_, rest)| rest).to_owned()
}

/// The PTX instructions that a warp executes, from its first load to its last addition.
fn executed(sources: &mut Sources, kernel: &'static Kernel) -> Result<Vec<String>> {
    let n = 32 * ELEMENTS;
    let (x, sums) = (sources.zeroed::<f32>("x", n)?, sources.zeroed::<f32>("sums", 32)?);
    let launch = Launch::new(kernel, 1, 32).arg(x).arg(sums).arg(n as i32);
    let code: Vec<String> = sources.trace(&launch)?.into_iter().map(|step| step.ptx).collect();
    let first = code.iter().position(|line| is_load(line)).unwrap_or_default();
    let last = code.iter().rposition(|line| line.contains("add.f32")).unwrap_or_default();
    Ok(code[first..=last].to_vec())
}

fn is_load(line: &str) -> bool {
    line.contains("ld.global") || line.starts_with("LDG")
}

/// Instructions as cells, and arcs from loads to their uses. Returns how often a warp waits, and where the cells end.
fn draw_code(sheet: &mut Sheet, top: f64, name: &str, code: &[String]) -> (usize, f64) {
    let (width, base) = (388.0 / code.len() as f64, top + 48.0);
    sheet.sized(4.0, top + 9.0, Anchor::Start, Tone::Text, 12.0, name);
    let at = |nth: usize| 6.0 + (nth as f64 + 0.5) * width;
    let mut on_the_way: Vec<(&str, usize)> = Vec::new();
    let (mut waits, mut arrived) = (0, None);
    for (nth, line) in code.iter().enumerate() {
        let used = on_the_way.iter().position(|(register, _)| is_used(line, register));
        let fill = if is_load(line) {
            on_the_way.push((target(line), nth));
            Fill::A
        } else if let Some(used) = used {
            let (_, from) = on_the_way.remove(used);
            sheet.swing((at(from), base - 2.0), (at(nth), base - 2.0), -14.0, Stroke::Arrow);
            // Loads that were issued before a wait have arrived when it ends, or nearly.
            if arrived.is_none_or(|arrived| from > arrived) {
                waits += 1;
                arrived = Some(nth);
            }
            Fill::B
        } else {
            Fill::Off
        };
        let inset = (0.1 * width).min(1.0);
        sheet.rect([at(nth) - width / 2.0 + inset, base, width - 2.0 * inset, 14.0], fill);
    }
    let words = format!("{waits} {}", if waits == 1 { "wait" } else { "waits" });
    sheet.sized(396.0, top + 9.0, Anchor::End, Tone::Text, 12.0, &words);
    (waits, base + 14.0)
}

/// The register that a load writes, which follows its opcode.
fn target(line: &str) -> &str {
    line.split_whitespace().nth(1).unwrap_or_default().trim_end_matches(',')
}

fn is_used(line: &str, register: &str) -> bool {
    let is_apart = |c: char| !(c.is_alphanumeric() || c == '%');
    line.split(is_apart).any(|word| word == register)
}

fn chains_rate(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const FILLS: [(u32, Fill); 4] = [(1, Fill::A), (2, Fill::B), (4, Fill::C), (8, Fill::D)];
    let (record, is_measured) = measured(sources, 0, "chains_1_warps_4")?;
    let mut groups = Vec::new();
    for warps in [4, 8, 16, 32] {
        let mut bars = Vec::new();
        for (chains, fill) in FILLS {
            let row = format!("chains_{chains}_warps_{warps}");
            let rate = if is_measured { record.fact(&row, "additions_per_ns")? } else { 0.0 };
            let label = if is_measured { format!("{rate:.0}") } else { UNMEASURED.to_owned() };
            let label = match (warps, chains) {
                (4, 1) => format!("{label} with 1 chain"),
                (4, _) => format!("{label} with {chains}"),
                _ => label,
            };
            bars.push(Bar { name: String::new(), value: rate, label, fill });
        }
        groups.push((warps, bars));
    }
    let most = groups.iter().flat_map(|(_, bars)| bars).map(|bar| bar.value).fold(1.0, f64::max);
    let look = Bars { x: 76.0, width: 240.0, most, pitch: 15.0, tone: Tone::Text };
    let (mut y, mut described) = (8.0, Vec::new());
    for (warps, bars) in &groups {
        let end = look.draw(sheet, y, bars);
        sheet.right(70.0, f64::midpoint(y, end) + 4.3, Tone::Text, &format!("{warps} warps"));
        let rates: Vec<String> = bars.iter().map(|bar| format!("{:.0}", bar.value)).collect();
        described.push(format!("{warps} warps: {}", rates.join(", ")));
        y = end + 14.0;
    }
    Ok(format!(
        "Additions per nanosecond of one multiprocessor of an H200, with 1, 2, 4 and 8 chains in each thread. {}.",
        described.join(". ")
    ))
}

/// The kernels of the next figure: the prefix of their rows, and their marks.
const KINDS: [(&str, &str, Mark, Fill); 3] = [
    ("loads_1", "one load of 4 bytes", Mark::Disc, Fill::A),
    ("loads_2 loads_4 loads_8", "2, 4 or 8 of them", Mark::Square, Fill::B),
    ("wide_1 wide_4", "1 or 4 loads of 16 bytes", Mark::Triangle, Fill::C),
];

/// The multiprocessors of the GPU of the record.
const MULTIPROCESSORS: f64 = 132.0;
/// The array whose sum is the fastest that the book has, in floats.
const ROOF: u64 = 1 << 30;

fn bytes_in_flight(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let (record, is_measured) = measured(sources, 1, "loads_1_warps_8")?;
    let roof = sources.bench(ROOF, "sum_last_block")?.gb_s.context("a sum has a rate")?;
    let tick = |value: f64| (value, grouped(value as u64));
    let chart = Chart {
        area: [48.0, 28.0, 340.0, 230.0],
        x: Axis::log(1.4, 160.0, [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0].map(tick)),
        y: Axis::log(250.0, 6000.0, [250.0, 500.0, 1000.0, 2000.0, 4000.0].map(tick)),
    };
    chart.axes(sheet);
    chart.names(sheet, "KiB in flight on each multiprocessor, by the code", "GB/s");
    let mut described = Vec::new();
    if is_measured {
        let latency = record.fact("chase_array", "ns_per_load")?;
        little_and_roof(&chart, sheet, latency, roof);
        described.push(format!("Little's line for {latency:.0} ns, and a roof at {roof:.0} GB/s"));
    }
    for (rows, _, mark, fill) in KINDS {
        for row in rows.split(' ') {
            for warps in [8, 16, 32, 64] {
                let row = format!("{row}_warps_{warps}");
                let kib = record.fact(&row, "kib_in_flight")?;
                if is_measured {
                    let rate = record.fact(&row, "gb_s")?;
                    sheet.mark(chart.at(kib, rate), 4.0, mark, fill);
                    described.push(format!("{row} {kib:.0} KiB, {rate:.0} GB/s"));
                }
            }
        }
    }
    if !is_measured {
        sheet.middle(218.0, 130.0, Tone::Dim, UNMEASURED);
    }
    let marks = KINDS.map(|(_, words, mark, fill)| (mark, fill, words));
    legend(sheet, 4.0, 310.0, &marks[..2]);
    legend(sheet, 4.0, 328.0, &marks[2..]);
    Ok(format!(
        "A chart of points, one for each kernel and number of warps, both axes logarithmic: gigabytes per second on an H200 \
         against the KiB that a multiprocessor waits for at a time. {}.",
        described.join("; ")
    ))
}

/// The rate that follows from the bytes in flight and the time of one load, up to the most that memory delivers.
fn little_and_roof(chart: &Chart, sheet: &mut Sheet, latency_ns: f64, roof: f64) {
    let rate = |kib: f64| kib * 1024.0 * MULTIPROCESSORS / latency_ns;
    let knee = roof * latency_ns / MULTIPROCESSORS / 1024.0;
    let line = [(1.4, rate(1.4)), (knee, roof), (160.0, roof)];
    sheet.line(&line.map(|(kib, rate)| chart.at(kib, rate)), Stroke::Line);
    let (x, y) = chart.at(2.1, rate(2.1));
    sheet.right(x + 4.0, y - 12.0, Tone::Dim, "F / L");
    let (x, y) = chart.at(70.0, roof);
    sheet.left(x, y - 6.0, Tone::Dim, "the roof");
}

fn blocks_that_fit(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const WARPS: usize = 64;
    let record = sources.emulated(CHAPTER, 0)?;
    let (cell, left) = (4.7, 92.0);
    sheet.left(left, 12.0, Tone::Dim, "room for 64 warps, in blocks of");
    let (mut y, mut described) = (20.0, Vec::new());
    for size in [32, 64, 256, 768, 1024_usize] {
        let row = format!("block_{size}");
        let [blocks, warps] = ["resident_blocks", "resident_warps"].map(|fact| record.fact(&row, fact));
        let (blocks, warps) = (blocks? as usize, warps? as usize);
        let of_block = warps / blocks;
        for block in 0..blocks {
            let x = left + (block * of_block) as f64 * cell;
            sheet.rect(
                [x + 0.4, y, of_block as f64 * cell - 0.8, 14.0],
                if block % 2 == 0 { Fill::A } else { Fill::B },
            );
        }
        let free = left + warps as f64 * cell;
        if warps < WARPS {
            sheet.frame([free + 0.4, y, (WARPS - warps) as f64 * cell - 0.8, 14.0], Stroke::Grid);
        }
        sheet.right(left - 6.0, y + 11.3, Tone::Text, &format!("{size} threads"));
        described.push(format!("{blocks} blocks of {size} threads are {warps} warps"));
        y += 22.0;
    }
    Ok(format!(
        "The room for {WARPS} warps on a multiprocessor, and the blocks that fit into it, by their size: {}. What is left stays \
         empty.",
        described.join("; ")
    ))
}
