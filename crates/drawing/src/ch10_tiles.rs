//! Figures of chapter 10: one matrix product that moves fewer and fewer bytes.
//!
//! The rates are from the record of a large product on a GPU, everything else from runs of the emulator. What the caches do is
//! left out, because nothing here can see it.

mod footprint;
mod stages;

use anyhow::{Context, Result};
use thirty_two_lanes::report::layout::grouped;

use crate::chart::{Bar, Bars};
use crate::{Figure, Fill, Sheet, Sources, Tone};

pub const FIGURES: &[Figure] = &[
    Figure {
        name: "product_rates",
        title: "Operations per second of each version of the product",
        draw: rates,
    },
    Figure {
        name: "product_footprint",
        title: "What a warp needs of A and B for one step",
        draw: footprint::draw,
    },
    Figure {
        name: "products_per_load",
        title: "Products for each load, by the version of the product",
        draw: products_per_load,
    },
    Figure { name: "ring_of_stages", title: "What is under way while a warp multiplies", draw: stages::ring },
    Figure {
        name: "supplied_stages",
        title: "A warp that orders copies, and one that multiplies",
        draw: stages::supplied,
    },
];

const CHAPTER: &str = "ch10_tiles";
/// The size of the record that the figure shows.
const LARGE: u64 = 4096;

/// The versions in the order of the pages, and after them what NVIDIA's library does.
const TIMED: [&str; 10] = [
    "product_down",
    "product_across",
    "product_tile",
    "product_registers",
    "product_wide",
    "product_async",
    "product_ahead",
    "product_boxes",
    "product_cluster",
    "cublas_f32",
];

fn rates(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let mut bars = Vec::new();
    for name in TIMED {
        let value = sources.product(LARGE, name)?.gflop_s.context("it was timed")?;
        let fill = if name.starts_with("cublas") { Fill::B } else { Fill::A };
        bars.push(Bar { name: name.to_owned(), value, label: grouped(value as u64), fill });
    }
    let described: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.name, bar.label)).collect();
    sheet.left(146.0, 12.0, Tone::Dim, "GFLOP/s");
    draw_bars(sheet, &bars);
    Ok(format!(
        "Bars of the rate of each version for {} rows and columns on an H200, in GFLOP/s: {}.",
        grouped(LARGE),
        described.join(", ")
    ))
}

fn draw_bars(sheet: &mut Sheet, bars: &[Bar]) {
    let most = bars.iter().map(|bar| bar.value).fold(1.0, f64::max);
    Bars { x: 146.0, width: 196.0, most, pitch: 22.0, tone: Tone::Mono }.draw(sheet, 22.0, bars);
}

/// The versions whose loads the figure shows, in the order of the pages.
const COUNTED: [&str; 6] =
    ["product_down", "product_across", "product_tile", "product_registers", "product_wide", "product_async"];

fn products_per_load(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let record = sources.emulated(CHAPTER, 0)?;
    let mut bars = Vec::new();
    for name in COUNTED {
        let value = record.fact(name, "products_per_load")?;
        let label = if value < 1.0 { format!("{value:.2}") } else { format!("{value:.1}") };
        bars.push(Bar { name: name.to_owned(), value, label, fill: Fill::A });
    }
    let described: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.name, bar.label)).collect();
    sheet.left(146.0, 12.0, Tone::Dim, "products for each load of a lane");
    draw_bars(sheet, &bars);
    Ok(format!(
        "Bars of how many products a lane computes for each of its loads, from global or shared memory: {}.",
        described.join(", ")
    ))
}
