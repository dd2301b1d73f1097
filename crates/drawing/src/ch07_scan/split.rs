//! From which size on it pays to sort first, by a GPU's record.
//!
//! The lengths of the work whose lines don't cross are left to the page's table.

use anyhow::Result;
use thirty_two_lanes::report::layout::grouped;

use crate::chart::{Axis, Chart, LOOKS};
use crate::sheet::Sheet;
use crate::sources::Sources;

/// The runs of the section, by the number of elements.
const RUNS: [(usize, f64); 4] = [(3, 4096.0), (0, 65_536.0), (4, 1_048_576.0), (5, 4_194_304.0)];
/// The rows, and how far below its last point a name goes.
const ROWS: [(&str, &str, f64); 4] = [
    ("mixed_1000", "one pass, 1,000 rounds", 4.0),
    ("split_1000", "split, 1,000 rounds", -2.0),
    ("mixed_100", "one pass, 100 rounds", 9.0),
    ("split_100", "split, 100 rounds", 8.0),
];

pub fn times(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let tick = |value: u32| (f64::from(value), grouped(value.into()));
    let chart = Chart {
        area: [46.0, 30.0, 196.0, 190.0],
        x: Axis::log(3000.0, 5_500_000.0, [4096, 65_536, 1_048_576].map(tick)),
        y: Axis::log(6.0, 700.0, [10, 30, 100, 300].map(tick)),
    };
    chart.axes(sheet);
    chart.names(sheet, "elements", "µs on an H200");
    let mut described = Vec::new();
    for ((row, name, down), look) in ROWS.into_iter().zip(LOOKS) {
        let mut points = Vec::new();
        for (run, elements) in RUNS {
            points.push((elements, sources.measured("ch07_scan", run)?.time_us(row)?));
        }
        chart.series(sheet, &points, look);
        chart.label(sheet, &points, down, name);
        let times: Vec<String> = points.iter().map(|(_, us)| format!("{us:.0}")).collect();
        described.push(format!("{name}: {} µs", times.join(", ")));
    }
    Ok(format!(
        "Four lines over the number of elements, both axes logarithmic: one pass with a branch, and the split with its scan, \
         for work of two lengths. {}.",
        described.join("; ")
    ))
}
