//! More figures of chapter 4: what a shuffle does not order, tiles, and a loop that begins one step early.
//!
//! Groups of lanes that reached a line together are left out, because the report draws them.

use anyhow::{Context, Result, ensure};
use thirty_two_lanes::Launch;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::groups::TILE_SUMS;
use thirty_two_lanes::kernels::races::{SHUFFLE_AND_BARRIER, SHUFFLE_NO_ORDER};
use thirty_two_lanes::kernels::two_pass::{PASS_DOUBLED, PASS_STRIDED};

use crate::timeline::{Track, is, shortened};
use crate::warp::{LANES, Strip};
use crate::{Anchor, Fill, Mark, Sheet, Sources, Stroke, Tone};

/// What a lane does, in the words of the figure, and whether it waits there for the other lanes.
const STEPS: [(&str, &str, bool); 4] = [
    ("st.shared", "stores", false),
    ("shfl.sync", "shuffle", true),
    ("bar.warp.sync", "__syncwarp", true),
    ("ld.shared", "loads", false),
];

pub fn shuffle_order(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let mut described = Vec::new();
    for (left, kernel) in [(4.0, &SHUFFLE_NO_ORDER), (208.0, &SHUFFLE_AND_BARRIER)] {
        let values: Vec<i32> = (0..32).collect();
        let (x, y) = (sources.upload("x", &values)?, sources.zeroed::<i32>("y", 32)?);
        let launch = Launch::new(kernel, 1, LANES).arg(x).arg(y);
        let races =
            sources.trial(&launch, y)?.0.faults.iter().filter(|fault| fault.kind.name() == "race").count();
        let trace = sources.trace(&launch)?;
        let steps: Vec<(&str, bool)> = trace
            .iter()
            .filter_map(|step| STEPS.iter().find(|(operation, ..)| is(step, operation)))
            .map(|&(_, word, waits)| (word, waits))
            .collect();
        ensure!(steps.len() >= 3, "`{kernel}` stores, shuffles and loads");

        sheet.sized(left, 12.0, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        let height = 34.0;
        let bottom = 46.0 + height * steps.len() as f64;
        let tracks = [left + 50.0, left + 100.0].map(|x| Track { x, top: 40.0, bottom });
        for (lane, track) in tracks.iter().enumerate() {
            track.draw(sheet, &format!("lane {lane}"));
        }
        let at = |step: usize| 56.0 + height * step as f64;
        for (step, &(word, waits)) in steps.iter().enumerate() {
            let fill = if waits { Fill::On } else { Fill::A };
            let mark = if waits { Mark::Diamond } else { Mark::Square };
            if waits {
                sheet.line(&[(tracks[0].x, at(step)), (tracks[1].x, at(step))], Stroke::Line);
                sheet.mark((tracks[0].x, at(step)), 4.5, mark, fill);
                tracks[1].event(sheet, at(step), mark, fill, word, false);
            } else {
                tracks[0].event(sheet, at(step), mark, fill, word, true);
                tracks[1].event(sheet, at(step), mark, fill, word, false);
            }
        }
        let place = |word: &str| steps.iter().position(|step| step.0 == word).context("no such step");
        let ends = [(tracks[1].x, at(place("stores")?)), (tracks[0].x, at(place("loads")?))];
        let stroke = if races == 0 { Stroke::Arrow } else { Stroke::ArrowBad };
        sheet.arrow(&shortened(ends, 7.0), stroke);
        let (tone, verdict) = if races == 0 { (Tone::Text, "ordered") } else { (Tone::Strong, "a race") };
        sheet.left(left, bottom + 18.0, tone, &format!("store to load: {verdict}"));
        let words: Vec<&str> = steps.iter().map(|step| step.0).collect();
        described.push(format!(
            "{kernel}: {}; from one lane's store to the other's load: {verdict}",
            words.join(", ")
        ));
    }
    Ok(format!(
        "Lanes 0 and 1 of one warp on the emulator, for two kernels; time runs downwards. Lines across are steps at which lanes \
         wait for each other. An arrow goes from the store of lane 1 to the load of lane 0. {}.",
        described.join(". ")
    ))
}

pub fn tiles(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const STRIP: Strip = Strip::squares(62.0, 10.5);
    const SIZES: [u32; 4] = [4, 8, 16, 32];
    let values: Vec<i32> = (0..32).collect();
    let (x, y) = (sources.upload("x", &values)?, sources.zeroed::<i32>("y", SIZES.len() * 32)?);
    let (_, sums) = sources.trial(&Launch::new(&TILE_SUMS, 1, LANES).arg(x).arg(y), y)?;

    STRIP.numbers(sheet, 12.0);
    sheet.left(4.0, 29.0, Tone::Text, "lane");
    STRIP.mask(sheet, 19.0, u32::MAX, Fill::On);
    let mut top = 40.0;
    let mut described = Vec::new();
    for (k, size) in SIZES.into_iter().enumerate() {
        sheet.left(4.0, top + 14.0, Tone::Text, &format!("tile<{size}>"));
        let mut of_tiles = Vec::new();
        for first in (0..LANES).step_by(size as usize) {
            let (left, right) = (STRIP.lane(first), STRIP.lane(first + size - 1) + STRIP.width());
            let of_lanes = (first..first + size).map(|lane| sums[SIZES.len() * lane as usize + k]);
            let sum = sums[SIZES.len() * first as usize + k];
            ensure!(of_lanes.into_iter().all(|other| other == sum), "all lanes of a tile have its sum");
            sheet.frame([left, top, right - left, 20.0], Stroke::Line);
            sheet.middle(f64::midpoint(left, right), top + 14.3, Tone::Text, &sum.to_string());
            of_tiles.push(sum.to_string());
        }
        described.push(format!("tiles of {size}: {}", of_tiles.join(", ")));
        top += 29.0;
    }
    Ok(format!(
        "One warp on the emulator whose lanes bring their numbers, cut into tiles of four sizes, each with the sum that all of its \
         lanes get. {}.",
        described.join("; ")
    ))
}

/// How often each of 32 elements is contained in the sum after one pass and after two.
fn weights(sources: &mut Sources, kernel: &'static Kernel) -> Result<[Vec<f32>; 2]> {
    let (x, sums) = (sources.zeroed::<f32>("x", 32)?, sources.zeroed::<f32>("sums", 1)?);
    let total = sources.zeroed::<f32>("total", 1)?;
    let mut weights = [Vec::new(), Vec::new()];
    for element in 0..32 {
        let mut values = vec![0.0_f32; 32];
        values[element] = 1.0;
        sources.write(x, &values)?;
        let first = Launch::new(kernel, 1, LANES).arg(x).arg(sums).arg(32_i32);
        let (_, once) = sources.trial(&first, sums)?;
        sources.write(sums, &once)?;
        let second = Launch::new(kernel, 1, LANES).arg(sums).arg(total).arg(1_i32);
        let (_, twice) = sources.trial(&second, total)?;
        weights[0].push(once[0]);
        weights[1].push(twice[0]);
    }
    Ok(weights)
}

pub fn doubled(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const UNIT: f64 = 12.0;
    let mut top = 12.0;
    let mut described = Vec::new();
    for kernel in [&PASS_STRIDED, &PASS_DOUBLED] {
        let passes = weights(sources, kernel)?;
        let highest = passes.iter().flatten().copied().fold(0.0, f32::max);
        let base = top + 10.0 + UNIT * f64::from(highest);
        sheet.sized(4.0, top, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        for (left, pass, of_pass) in [(4.0, "one pass", &passes[0]), (208.0, "two passes", &passes[1])] {
            let strip = Strip::squares(left, 5.9);
            for (element, &weight) in (0..).zip(of_pass) {
                let height = UNIT * f64::from(weight);
                let fill = if weight < 1.5 { Fill::On } else { Fill::Bad };
                sheet.rect([strip.lane(element), base - height, strip.width(), height], fill);
            }
            sheet.line(&[(strip.x, base + 1.0), (strip.end(), base + 1.0)], Stroke::Line);
            let most = of_pass.iter().copied().fold(0.0, f32::max);
            let least = of_pass.iter().copied().fold(most, f32::min);
            ensure!(most <= least, "all elements are in the sum as often");
            let often = if most < 1.5 { "once".to_owned() } else { format!("{most} times") };
            sheet.left(left, base + 18.0, Tone::Text, &format!("{pass}: each {often}"));
            described.push(format!("{kernel}, {pass}: each element {often}"));
        }
        top = base + 50.0;
    }
    Ok(format!(
        "A bar for each of 32 elements that one block adds up on the emulator, as high as the number of times that the sum contains the element. {}.",
        described.join("; ")
    ))
}
