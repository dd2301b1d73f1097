//! Figures of chapter 1: what a warp does when its lanes disagree.

use anyhow::Result;
use lanes::kernels::branch::BRANCH_SQRT;
use lanes::{Launch, Traced};

use crate::Figure;
use crate::sheet::{Anchor, Fill, Sheet, Stroke, Tone};
use crate::studio::Studio;
use crate::warp::{LANES, Strip};

pub const FIGURES: &[Figure] = &[Figure {
    name: "divergence_masks",
    title: "A warp goes through an if and its else, one side after the other",
    draw: divergence_masks,
}];

/// One warp with 16 negative numbers, as the chapter's `warp_halved`: what all lanes issue together is one row.
fn divergence_masks(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let numbers: Vec<f32> = (0..LANES).map(|lane| if lane < 16 { -1.0 } else { 4.0 }).collect();
    let (x, z) = (studio.upload("x", &numbers)?, studio.zeroed::<f32>("z", numbers.len())?);
    let launch = Launch::cover(&BRANCH_SQRT, numbers.len(), LANES).arg(x).arg(z).arg(LANES as i32);
    let trace = studio.trace(&launch)?;
    let parts: Vec<&[Traced]> = trace.chunk_by(|one, other| one.mask == other.mask).collect();

    let strip = Strip { x: 84.0, pitch: 6.4, height: 9.0 };
    strip.numbers(sheet, 12.0);
    sheet.right(76.0, 12.0, Tone::Dim, "lane");
    let (row, mut y) = (14.0, 20.0);
    for part in &parts {
        let is_long = part[0].mask == u32::MAX && part.len() > 1;
        let steps: Vec<String> = if is_long {
            vec![format!("{} instructions", part.len())]
        } else {
            part.iter().map(|step| opcode(&step.ptx).to_owned()).collect()
        };
        let label = match part[0].mask {
            u32::MAX => "together",
            mask if mask & 1 == 1 => "negative",
            _ => "others",
        };
        sheet.left(16.0, y + 9.5, Tone::Text, label);
        for step in &steps {
            strip.mask(sheet, y + 1.0, part[0].mask, Fill::On);
            let tone = if step.contains(' ') { Tone::Dim } else { Tone::Mono };
            sheet.sized(strip.end() + 8.0, y + 9.5, Anchor::Start, tone, 12.0, step);
            y += row;
        }
        y += 7.0;
    }
    sheet.arrow(&[(7.0, 22.0), (7.0, y - 8.0)], Stroke::Arrow);
    let sides: Vec<_> = parts.iter().filter(|part| part[0].mask != u32::MAX).collect();
    let side = |at: usize| (sides[at].len(), sides[at][0].mask.count_ones());
    Ok(format!(
        "A strip of {LANES} lanes for each instruction of a warp, time going down. First all {LANES} lanes issue {} \
         instructions together. Then the {} lanes with negative numbers issue {} instructions while the others are switched \
         off, then the other {} lanes issue {} while the first are switched off. At the end all lanes return together.",
        parts[0].len(),
        side(0).1,
        side(0).0,
        side(1).1,
        side(1).0,
    ))
}

/// The first word of an instruction that is no guard.
fn opcode(ptx: &str) -> &str {
    let word = ptx.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
    word.trim_end_matches(';')
}
