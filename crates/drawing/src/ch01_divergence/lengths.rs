//! How long one busy lane takes on a GPU, by the length of its work.
//!
//! The times are from the record of a GPU. What the emulator counts for the same launches is in the chapter's table.

use anyhow::Result;
use thirty_two_lanes::report::layout::grouped;

use crate::chart::{Axis, Chart, LOOKS};
use crate::sheet::Sheet;
use crate::sources::Sources;

/// The run whose launches fill a GPU.
const RUN: usize = 5;
const ROUNDS: [u32; 4] = [1, 10, 100, 1000];

pub fn times(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let record = sources.measured("ch01_divergence", RUN)?;
    let of = |name: &str| -> Result<Vec<(f64, f64)>> {
        ROUNDS.map(|n| Ok((f64::from(n), record.time_us(&format!("{name}_{n}"))?))).into_iter().collect()
    };
    let (lane, packed) = (of("one_lane")?, of("packed")?);
    let tick = |value: u32| (f64::from(value), grouped(value.into()));
    let chart = Chart {
        area: [52.0, 30.0, 250.0, 170.0],
        x: Axis::log(0.8, 1300.0, ROUNDS.map(tick)),
        y: Axis::log(50.0, 3000.0, [100, 300, 1000, 3000].map(tick)),
    };
    chart.axes(sheet);
    chart.names(sheet, "rounds of the loop", "µs on an H200");
    for ((points, look), name) in [&lane, &packed].into_iter().zip(LOOKS).zip(["one lane", "packed"]) {
        chart.series(sheet, points, look);
        chart.label(sheet, points, 4.0, name);
    }
    let described = lane
        .iter()
        .zip(&packed)
        .map(|(lane, packed)| format!("{} rounds: {:.0} and {:.0} µs", lane.0, lane.1, packed.1));
    Ok(format!(
        "Two lines over the rounds of a loop, both axes logarithmic: times with one lane of every warp in the loop, and with \
         whole warps in it. {}.",
        described.collect::<Vec<_>>().join("; ")
    ))
}
