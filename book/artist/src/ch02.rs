//! Figures of chapter 2: one sum from many numbers.

use anyhow::Result;
use lanes::kernel::Kernel;
use lanes::kernels::reduction::REDUCE_NEIGHBORED;

use crate::Figure;
use crate::pairs::{Pair, pairs};
use crate::sheet::{Sheet, Stroke, Tone};
use crate::studio::Studio;

pub const FIGURES: &[Figure] = &[Figure {
    name: "pairs_neighbored",
    title: "Pairs of neighbours: who is added to whom in each round",
    draw: pairs_neighbored,
}];

/// Elements of the small block that shows who adds whom.
const SMALL: usize = 16;

fn pairs_neighbored(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    pairs_of(studio, sheet, &REDUCE_NEIGHBORED)
}

/// A row of boxes for the elements before each round and after the last; arrows show what is added where.
fn pairs_of(studio: &mut Studio, sheet: &mut Sheet, kernel: &'static Kernel) -> Result<String> {
    let pairs = pairs(studio, kernel, SMALL)?;
    let rounds = pairs.iter().map(|pair| pair.round + 1).max().unwrap_or(0);
    let (width, height, row) = (17.5, 17.0, 46.0);
    let centre = |element: usize| 61.5 + 21.7 * element as f64;
    let top = |round: usize| 4.0 + row * round as f64;
    for round in 0..=rounds {
        let added = |element: usize| pairs.iter().any(|pair| pair.from == element && pair.round < round);
        for element in (0..SMALL).filter(|&element| !added(element)) {
            sheet.frame([centre(element) - width / 2.0, top(round), width, height], Stroke::Line);
            sheet.middle(centre(element), top(round) + 12.9, Tone::Text, &element.to_string());
        }
    }
    for Pair { round, into, from } in pairs.iter().copied() {
        let (above, below) = (top(round) + height + 1.0, top(round + 1) - 2.0);
        sheet.line(&[(centre(into), above), (centre(into), below + 1.0)], Stroke::Grid);
        // Arrows end at the side of the box that they come from.
        let end = centre(into) + (width / 2.0 - 3.0).copysign(from as f64 - into as f64);
        sheet.arrow(&[(centre(from), above), (end, below)], Stroke::Arrow);
    }
    sheet.left(4.0, top(0) + 12.9, Tone::Dim, "element");
    for round in 0..rounds {
        sheet.left(4.0, top(round) + height + 18.0, Tone::Text, &format!("round {}", round + 1));
    }
    let told = |round: usize| {
        let of_round: Vec<&Pair> = pairs.iter().filter(|pair| pair.round == round).collect();
        let (first, count) = (of_round[0], of_round.len());
        let distance = first.from.abs_diff(first.into);
        format!(
            "round {}: {count} {}, {distance} apart",
            round + 1,
            if count == 1 { "pair" } else { "pairs" }
        )
    };
    let told: Vec<String> = (0..rounds).map(told).collect();
    Ok(format!(
        "{SMALL} elements in a row, and an arrow from each element that is added to the one that takes it in, round by round: \
         {}. At the end element {} holds the sum.",
        told.join("; "),
        pairs.last().map_or(0, |pair| pair.into),
    ))
}
