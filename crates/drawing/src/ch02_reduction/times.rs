//! The figures of chapter 2 about time: how long the last kernels take, and the limit that memory sets.
//!
//! The limit that arithmetic sets is left out, because no kernel of the book measures it.

use anyhow::Result;
use thirty_two_lanes::report::layout::grouped;

use crate::chart::{Axis, Bar, Bars, Chart};
use crate::sheet::{Anchor, Fill, Mark, Sheet, Stroke, Tone};
use crate::sources::Sources;

/// The rows of the chapter's last section.
const STEPS: [&str; 5] = ["in_global_memory", "two_parts", "eight_parts", "shared", "shared_last_warp"];

pub fn steps_time(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let record = sources.measured("ch02_reduction", 1)?;
    let (size, block) = (record.setting("size")?, record.setting("block")?);
    let mut bars = Vec::new();
    for step in STEPS {
        let time = record.time_us(step)?;
        bars.push(Bar { name: step.to_owned(), value: time, label: format!("{time:.1} µs"), fill: Fill::A });
    }
    let most = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let look = Bars { x: 142.0, width: 184.0, most, pitch: 24.0, tone: Tone::Mono };
    look.draw(sheet, 8.0, &bars);
    let described: Vec<String> = bars.iter().map(|bar| format!("{}: {}", bar.name, bar.label)).collect();
    Ok(format!(
        "Bars of the time on an H200 for {} elements in blocks of {block}. {}.",
        grouped(size as u64),
        described.join(". ")
    ))
}

/// The row of the record that sets the limit, and its floats: many more than fit in a cache.
const ROOF: (&str, u64) = ("sum_last_block", 1 << 30);
/// Additions for each byte of an array of 4-byte words.
const INTENSITY: f64 = 0.25;

/// The rate that memory allows at each intensity, and the rates of the page's kernels.
pub fn roofline(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let (name, floats) = ROOF;
    let bench = sources.bench(floats, name)?;
    // Bytes per microsecond are thousandths of gigabytes per second, and additions are counted like elements.
    let gb_s = 4.0 * floats as f64 / bench.median_us / 1000.0;
    let record = sources.measured("ch02_reduction", 1)?;
    let size = record.setting("size")?;
    let tick = |value: f64, label: &str| (value, label.to_owned());
    let chart = Chart {
        area: [48.0, 30.0, 340.0, 232.0],
        x: Axis::log(0.0625, 2.0, [tick(0.0625, "1/16"), tick(0.25, "1/4"), tick(1.0, "1")]),
        y: Axis::log(40.0, 12_000.0, [100.0, 1000.0, 10_000.0].map(|rate| tick(rate, &grouped(rate as u64)))),
    };
    chart.axes(sheet);
    chart.names(sheet, "intensity: additions per byte", "additions per second, in thousand millions");
    let ends = [0.0625, 2.0].map(|intensity| chart.at(intensity, intensity * gb_s));
    sheet.line(&ends, Stroke::D);
    let (x, y) = chart.at(0.9, 0.9 * gb_s);
    sheet.right(x - 26.0, y - 10.0, Tone::Strong, "the roof of memory");
    sheet.right(x - 26.0, y + 6.0, Tone::Dim, &format!("{} GB/s", grouped(gb_s.round() as u64)));
    let (sum, bottom) = (chart.at(INTENSITY, INTENSITY * gb_s), chart.at(INTENSITY, 40.0));
    sheet.line(&[sum, bottom], Stroke::Grid);
    sheet.mark(sum, 4.5, Mark::Diamond, Fill::D);
    sheet.sized(sum.0 - 8.0, sum.1 - 6.0, Anchor::End, Tone::Mono, 12.0, name);

    // From the fastest to the slowest; if two points are close, the label of the slower one is moved.
    let kernels = STEPS.into_iter().rev().chain(["reduce_neighbored"]);
    let (mut described, mut labels) = (Vec::new(), 0.0_f64);
    for kernel in kernels {
        let time = record.time_us(kernel)?;
        let rate = size / time / 1000.0;
        let (x, y) = chart.at(INTENSITY, rate);
        sheet.mark((x, y), 4.0, Mark::Disc, Fill::A);
        labels = (y + 4.3).max(labels + 15.0);
        sheet.line(&[(x + 5.0, y), (x + 17.0, labels - 4.3)], Stroke::Grid);
        sheet.sized(x + 20.0, labels, Anchor::Start, Tone::Mono, 12.0, kernel);
        described.push(format!("{kernel} {rate:.0}"));
    }
    Ok(format!(
        "A chart with logarithmic axes: additions per second against additions per byte. The roof is a rising line, {} GB/s \
         times the intensity; that is the rate at which {name} reads {} floats on an H200. It rises to the right edge of \
         the chart. A sum has an intensity of one fourth, where the roof is at {} thousand million additions per second. \
         Below it on one vertical line are the kernels that add {} integers: {}.",
        grouped(gb_s.round() as u64),
        grouped(floats),
        grouped((INTENSITY * gb_s).round() as u64),
        grouped(size as u64),
        described.join(", ")
    ))
}
