//! The figures of chapter 6 about the shape of a block: its memory requests, how long a step takes, and what limits it.
//!
//! How a tile is loaded is left out.

use anyhow::{Context, Result};
use thirty_two_lanes::report::layout::grouped;

use crate::chart::{Bar, Bars};
use crate::sheet::{Anchor, Fill, Mark, Sheet, Stroke, Tone};
use crate::sources::Sources;
use crate::timeline::legend;

/// Shapes of a block of 256, as in the chapter.
const SHAPES: [&str; 6] = ["8x32", "16x16", "32x8", "64x4", "128x2", "256x1"];

/// Two bars for each shape: without a tile and with one.
fn by_shape(
    sheet: &mut Sheet,
    heads: [&str; 2],
    value: impl Fn(&str) -> Result<f64>,
    label: impl Fn(f64) -> String,
) -> Result<ByShape> {
    let mut values = Vec::new();
    for shape in SHAPES {
        values.push([value(&format!("direct_{shape}"))?, value(&format!("tile_{shape}"))?]);
    }
    let most = values.iter().flatten().copied().fold(0.0, f64::max);
    let bars = Bars { x: 66.0, width: 180.0, most, pitch: 15.0, tone: Tone::Text };
    let mut y = 8.0;
    for (at, (shape, pair)) in SHAPES.into_iter().zip(&values).enumerate() {
        let text = |part: usize| {
            let described = label(pair[part]);
            if at == 0 { format!("{described} {}", heads[part]) } else { described }
        };
        let bar = |part: usize, fill| Bar { name: String::new(), value: pair[part], label: text(part), fill };
        bars.draw(sheet, y, &[bar(0, Fill::A), bar(1, Fill::B)]);
        sheet.right(60.0, y + 17.0, Tone::Text, &shape.replace('x', " x "));
        y += 40.0;
    }
    let described = SHAPES.into_iter().zip(&values);
    let described =
        described.map(|(shape, pair)| format!("{shape}: {} and {}", label(pair[0]), label(pair[1])));
    Ok(ByShape { described: described.collect::<Vec<_>>().join(". "), bars, end: y - 7.0 })
}

/// The result of drawing the shapes.
struct ByShape {
    /// The description of all bars.
    described: String,
    /// Where the bars begin, and how long a unit is.
    bars: Bars,
    /// The lower end of the last bar.
    end: f64,
}

pub fn shapes_sectors(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let record = sources.emulated("ch06_laplace", 0)?;
    let sectors = |variant: &str| record.fact(variant, "sectors_per_block");
    let described = by_shape(sheet, ["requested", "different"], sectors, |value| format!("{value:.0}"))?;
    Ok(format!(
        "For each shape of a block of 256 threads, the sectors that it requests without a tile, and with a tile, which requests \
         each of them once. {}.",
        described.described
    ))
}

pub fn shapes_time(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let record = sources.measured("ch06_laplace", 1)?;
    let size = record.setting("size")?;
    let time = |variant: &str| record.time_us(variant);
    let drawn = by_shape(sheet, ["without a tile", "with a tile"], time, |value| format!("{value:.1} µs"))?;
    // A step reads one array and writes another, as a copy does.
    let rate = sources.bench(COPIED, "copy")?.gb_s.context("a copy has a rate")?;
    let roof = 8.0 * size / rate / 1000.0;
    let x = drawn.bars.x + drawn.bars.width * roof / drawn.bars.most;
    sheet.line(&[(x, 2.0), (x, drawn.end + 6.0)], Stroke::Line);
    let base = drawn.end + 20.0;
    sheet.middle(x, base, Tone::Text, &format!("{roof:.1} µs at the rate of a copy"));
    Ok(format!(
        "For each shape of a block of 256 threads, the time of a step over {} points on an H200, without a tile and with one. {}. \
         A line across the bars is at {roof:.1} µs: the time to read one array and write another at {} GB/s, the rate of a copy \
         of {} floats.",
        grouped(size as u64),
        drawn.described,
        grouped(rate as u64),
        grouped(COPIED)
    ))
}

/// The floats of the copy whose rate is the limit: many more than fit in a cache.
const COPIED: u64 = 1 << 30;

/// How busy a unit is, in percent of its peak: its name, and the metric.
const BUSY: [(&str, &str); 4] = [
    ("memory", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"),
    ("L2 cache", "lts__throughput.avg.pct_of_peak_sustained_elapsed"),
    ("L1 cache", "l1tex__throughput.avg.pct_of_peak_sustained_elapsed"),
    ("schedulers", "smsp__issue_active.avg.pct_of_peak_sustained_active"),
];
/// Clocks from one instruction of a warp to its next one, and how many of these it waits for a load and at a barrier.
const CLOCKS: &str = "smsp__average_warp_latency_per_inst_issued.ratio";
const LOADS: &str = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
const BARRIERS: &str = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";
/// The kernels of the figure with these units.
const LIMITED: [(&str, Fill); 3] =
    [("direct_8x32", Fill::C), ("direct_32x8", Fill::A), ("tile_32x8", Fill::B)];

pub fn shapes_limits(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const CHAPTER: &str = "ch06_laplace";
    let percent = |value: f64| format!("{value:.0} %");
    let mut described = Vec::new();
    sheet.left(4.0, 12.0, Tone::Strong, "how busy each part is");
    let mut y = 22.0;
    let shape = Bars { x: 84.0, width: 240.0, most: 100.0, pitch: 14.0, tone: Tone::Text };
    for (at, (part, metric)) in BUSY.into_iter().enumerate() {
        let mut bars = Vec::new();
        for (variant, fill) in LIMITED {
            let value = sources.note_metric(CHAPTER, variant, metric)?;
            described.push(format!("{part} of {variant} {}", percent(value)));
            let label = if at == 0 { format!("{} {variant}", percent(value)) } else { percent(value) };
            bars.push(Bar { name: String::new(), value, label, fill });
        }
        let end = shape.draw(sheet, y, &bars);
        sheet.right(78.0, f64::midpoint(y, end) + 4.3, Tone::Text, part);
        y = end + 11.0;
    }
    let full = shape.x + shape.width;
    sheet.line(&[(full, 19.0), (full, y - 6.0)], Stroke::Line);
    sheet.middle(full, y + 8.0, Tone::Dim, "100 %");
    y += 34.0;
    sheet.left(4.0, y, Tone::Strong, "what a warp does between two instructions");
    y += 10.0;
    let mut most = 0.0_f64;
    for (variant, _) in LIMITED {
        most = most.max(sources.note_metric(CHAPTER, variant, CLOCKS)?);
    }
    for (variant, _) in LIMITED {
        let mut clocks = |metric| sources.note_metric(CHAPTER, variant, metric);
        let (all, loads, barriers) = (clocks(CLOCKS)?, clocks(LOADS)?, clocks(BARRIERS)?);
        let mut x = 90.0;
        let parts =
            [(loads, Fill::A, 13.0), (barriers, Fill::Bad, 9.0), (all - loads - barriers, Fill::Off, 5.0)];
        for (clocks, fill, height) in parts.into_iter().filter(|&(clocks, ..)| clocks > 0.0) {
            let length = 215.0 * clocks / most;
            sheet.rect([x, y + 7.0 - height / 2.0, (length - 1.0).max(0.5), height], fill);
            x += length;
        }
        sheet.sized(84.0, y + 11.3, Anchor::End, Tone::Mono, 12.0, variant);
        sheet.left(x + 5.0, y + 11.3, Tone::Text, &format!("{all:.0} clocks"));
        described.push(format!(
            "{variant} has {all:.0} clocks between two instructions of a warp, of which it waits {loads:.0} for loads and \
             {barriers:.0} at barriers"
        ));
        y += 20.0;
    }
    let marks = [
        (Mark::Square, Fill::A, "waits for a load"),
        (Mark::Square, Fill::Bad, "waits at a barrier"),
        (Mark::Square, Fill::Off, "all else"),
    ];
    legend(sheet, 4.0, y + 16.0, &marks);
    Ok(format!(
        "Bars for three kernels, from what the profiler measured on an H200. {}.",
        described.join("; ")
    ))
}
