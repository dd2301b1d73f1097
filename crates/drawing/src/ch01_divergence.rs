//! Figures of chapter 1: what a warp does when its lanes diverge.

mod choices;
mod lengths;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use simt::Reconvergence;
use thirty_two_lanes::hardware::{DIVERGENT, INSTRUCTIONS};
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::boundary::{ADD_GUARDED, BRIGHTEN_GUARDED};
use thirty_two_lanes::kernels::branch::{BRANCH_SQRT, WORST_CASE_SWITCH, WORST_CASE_TOGETHER};
use thirty_two_lanes::kernels::progress::HANDSHAKE;
use thirty_two_lanes::kernels::sorting::{
    COUNT_LISTS, FILL_LISTS, PLACE_LISTS, PROCESS_EXPENSIVE, PROCESS_MIXED, PROCESS_SIMPLE,
};
use thirty_two_lanes::report::layout::{counted, grouped};
use thirty_two_lanes::{Launch, Random, Traced};

use crate::Figure;
use crate::chart::{Axis, Chart, LOOKS};
use crate::sheet::{Anchor, Fill, Sheet, Stroke, Tone};
use crate::sources::Sources;
use crate::warp::{LANES, Strip, Timeline};

pub const FIGURES: &[Figure] = &[
    Figure {
        name: "divergence_masks",
        title: "A warp goes through an if and its else, one side after the other",
        draw: divergence_masks,
    },
    Figure {
        name: "divergence_worst",
        title: "A switch with a path for every lane, and the same work on one path",
        draw: divergence_worst,
    },
    Figure {
        name: "divergence_sorted",
        title: "The same numbers in three orders: which warps execute both paths",
        draw: divergence_sorted,
    },
    Figure {
        name: "schedulers",
        title: "Two halves of a warp wait for each other, under one program counter and under one for each lane",
        draw: schedulers,
    },
    Figure {
        name: "boundary_line",
        title: "Which warp diverges at the end of an array",
        draw: boundary_line,
    },
    Figure {
        name: "boundary_map_76x62",
        title: "Which warps diverge at the edges of a picture of 76 x 62 pixels",
        draw: |sources, sheet| boundary_map(sources, sheet, 76, 62),
    },
    Figure {
        name: "boundary_map_200x150",
        title: "Which warps diverge at the edges of a picture of 200 x 150 pixels",
        draw: |sources, sheet| boundary_map(sources, sheet, 200, 150),
    },
    Figure {
        name: "lists_cost",
        title: "One pass with a branch against two lists: instructions by length of the work",
        draw: lists_cost,
    },
    Figure {
        name: "lengths_time",
        title: "The time of one busy lane in each warp, by the length of its work",
        draw: lengths::times,
    },
    Figure {
        name: "predication",
        title: "Instructions of PTX and of machine code by the length of an if's body",
        draw: predication,
    },
    Figure {
        name: "blocks_of_48",
        title: "Blocks of 48 threads as warps of 32 lanes",
        draw: choices::blocks_of_48,
    },
    Figure {
        name: "parity_masks",
        title: "The active lanes of two warps, when each thread decides for itself and when each warp does",
        draw: choices::parity_masks,
    },
    Figure {
        name: "precedence_values",
        title: "What four warps wrote, as meant and as printed",
        draw: choices::values,
    },
    Figure {
        name: "who_computes",
        title: "Which lanes compute or load a value under an if, and which for a select",
        draw: choices::who_computes,
    },
];

/// One warp with 16 negative numbers, as in the chapter's `warp_halved`. Each row is an instruction, with the lanes
/// that execute it.
fn divergence_masks(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let numbers: Vec<f32> = (0..LANES).map(|lane| if lane < 16 { -1.0 } else { 4.0 }).collect();
    let (x, z) = (sources.upload("x", &numbers)?, sources.zeroed::<f32>("z", numbers.len())?);
    let launch = Launch::cover(&BRANCH_SQRT, numbers.len(), LANES).arg(x).arg(z).arg(LANES as i32);
    let trace = sources.trace(&launch)?;
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
        "A strip of {LANES} lanes for each instruction of a warp; time runs downwards. First all {LANES} lanes issue {} \
         instructions together. Then the {} lanes with negative numbers issue {} instructions while the others are switched \
         off, then the other {} lanes issue {} while the first are switched off. At the end all lanes return together.",
        parts[0].len(),
        side(0).1,
        side(0).0,
        side(1).1,
        side(1).0,
    ))
}

/// The opcode of an instruction, after its guard if it has one.
fn opcode(ptx: &str) -> &str {
    let word = ptx.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
    word.trim_end_matches(';')
}

/// Iterations of the loop on each of the 32 paths, as in the chapter.
const TURNS: i32 = 100;

/// The instructions of one warp over time, on the left with 32 paths and on the right with one, at the same scale.
fn divergence_worst(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let mut trace = |kernel: &'static Kernel| -> Result<Vec<Traced>> {
        let values = Random::new(0).words(LANES as usize);
        let (x, z) = (sources.upload("x", &values)?, sources.zeroed::<u32>("z", values.len())?);
        let mut launch =
            Launch::cover(kernel, values.len(), LANES).arg(x).arg(z).arg(TURNS).arg(LANES as i32);
        // Each path runs to its end. With independent thread scheduling the paths would take turns, and take as long in
        // total.
        launch.simt.reconvergence = Reconvergence::Stack;
        sources.trace(&launch)
    };
    let (diverging, together) = (trace(&WORST_CASE_SWITCH)?, trace(&WORST_CASE_TOGETHER)?);
    let (y, step) = (42.0, 200.0 / diverging.len() as f64);
    let heads = ["a path for each lane", "one path for all"];
    for ((trace, x), head) in [(&diverging, 26.0), (&together, 222.0)].into_iter().zip(heads) {
        let strip = Strip { x, pitch: 5.2, height: 0.0 };
        sheet.left(x, 12.0, Tone::Strong, head);
        strip.numbers(sheet, 30.0);
        let end = Timeline { strip, y, step }.draw(sheet, trace, Fill::On);
        sheet.left(x, end + 19.0, Tone::Text, &format!("{} instructions", grouped(trace.len() as u64)));
    }
    sheet.arrow(&[(10.0, y), (10.0, y + 200.0)], Stroke::Arrow);
    let lanes: u32 = diverging.iter().map(|step| step.mask.count_ones()).sum();
    Ok(format!(
        "One warp of {LANES} lanes; time runs downwards. With a path for each lane, one lane after another is active, in steps \
         like a staircase: {} instructions, with {:.2} active lanes on average. With one path for all, every lane is active \
         in every instruction: {} instructions.",
        grouped(diverging.len() as u64),
        f64::from(lanes) / diverging.len() as f64,
        grouped(together.len() as u64),
    ))
}

/// The numbers of a few warps, in the same range as the chapter's.
const FEW: usize = 256;
/// The height of a lane's cell on the path of negative numbers, and on the other path.
const TALL: f64 = 7.4;
const SHORT: f64 = 3.4;

/// Three orders side by side; a warp has a row for each path that it executes, with the lanes on that path.
fn divergence_sorted(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let mixed = Random::new(0).floats(FEW, -8.0, 8.0);
    let mut sorted = mixed.clone();
    sorted.sort_by(f32::total_cmp);
    let (mut parts, others): (Vec<f32>, Vec<f32>) = mixed.iter().partition(|&&x| x < 0.0);
    let last = parts.last().copied().context("no number is negative")?;
    parts.resize(parts.len().next_multiple_of(LANES as usize), last);
    parts.extend(others);
    let mut described = Vec::new();
    for (at, (name, values)) in
        [("as they come", mixed), ("sorted", sorted), ("filled up", parts)].into_iter().enumerate()
    {
        let strip = Strip { x: 36.0 + 121.5 * at as f64, pitch: 3.65, height: TALL };
        sheet.left(strip.x, 12.0, Tone::Strong, name);
        let warps = paths(sources, &values)?;
        let mut y = 22.0;
        for (number, paths) in warps.iter().enumerate() {
            if at == 0 {
                sheet.sized(strip.x - 8.0, y + 11.5, Anchor::End, Tone::Dim, 12.0, &number.to_string());
            }
            for &(is_negative, lanes) in paths {
                let (fill, height) = if is_negative { (Fill::A, TALL) } else { (Fill::B, SHORT) };
                Strip { height, ..strip }.mask(sheet, y + (TALL - height) / 2.0, lanes, fill);
                y += 8.6;
            }
            y += 4.0;
        }
        let rows: usize = warps.iter().map(Vec::len).sum();
        let diverging = warps.iter().filter(|paths| paths.len() > 1).count();
        sheet.left(strip.x, y + 13.0, Tone::Text, &format!("{rows} paths"));
        sheet.left(
            strip.x,
            y + 29.0,
            Tone::Text,
            &format!("{diverging} of {} {}", warps.len(), diverge(diverging)),
        );
        described.push(format!(
            "{name}: {} warps, {diverging} of them on both paths, {rows} paths in all",
            warps.len()
        ));
    }
    sheet.sized(2.0, 12.0, Anchor::Start, Tone::Dim, 12.0, "warp");
    let y = sheet.bottom() + 18.0;
    for (x, fill, height, what) in
        [(36.0, Fill::A, TALL, "negative"), (157.5, Fill::B, SHORT, "not negative")]
    {
        sheet.boxes((3.1, height), fill, [0.0, 3.65, 7.3].map(|right| (x + right, y - 4.2 - height / 2.0)));
        sheet.left(x + 16.0, y, Tone::Text, what);
    }
    Ok(format!(
        "Warps from top to bottom, a row of lanes for each path that a warp executes. {}.",
        described.join(". ")
    ))
}

/// The verb that agrees with the number of warps.
fn diverge(warps: usize) -> &'static str {
    if warps == 1 { "diverges" } else { "diverge" }
}

/// For each warp, the paths that it executes in order: whether a path is the one for negative numbers, and its lanes.
fn paths(sources: &mut Sources, values: &[f32]) -> Result<Vec<Vec<(bool, u32)>>> {
    let (x, z) = (sources.upload("x", values)?, sources.zeroed::<f32>("z", values.len())?);
    let launch = Launch::cover(&BRANCH_SQRT, values.len(), LANES).arg(x).arg(z).arg(values.len() as i32);
    let mut warps = vec![Vec::new(); values.len().div_ceil(LANES as usize)];
    for step in sources.trace(&launch)? {
        let is_root = step.ptx.contains("sqrt.");
        if is_root || step.ptx.contains("add.f32") {
            warps[step.block.x as usize].push((!is_root, step.active));
        }
    }
    Ok(warps)
}

/// Iterations before a lane gives up: more than lanes with a program counter each spend in their turn.
const PATIENCE: i32 = 100;

/// Two builds of one kernel over time, and how many lanes get what they wait for.
fn schedulers(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let mut described = Vec::new();
    let mut traces = Vec::new();
    for arch in [60, 70] {
        let (flag, through) =
            (sources.zeroed::<i32>("flag", 2)?, sources.zeroed::<i32>("through", LANES as usize)?);
        let launch = Launch::new(&HANDSHAKE, 1, LANES).arch(arch)?.arg(flag).arg(through).arg(PATIENCE);
        let trace = sources.trace(&launch)?;
        let (_, through) = sources.trial(&launch, through)?;
        traces.push((trace, through.iter().filter(|&&is_through| is_through == 1).count()));
    }
    ensure!(traces[0].1 < traces[1].1, "the second build has to get more lanes through");
    let longest = traces.iter().map(|(trace, _)| trace.len()).max().unwrap_or(1);
    let (y, step) = (58.0, 200.0 / longest as f64);
    let heads = [("one program counter", "built for sm_60"), ("one for each lane", "built for sm_70")];
    for (((trace, through), x), (head, build)) in traces.iter().zip([26.0, 222.0]).zip(heads) {
        let strip = Strip { x, pitch: 5.2, height: 0.0 };
        sheet.left(x, 12.0, Tone::Strong, head);
        sheet.left(x, 28.0, Tone::Dim, build);
        strip.numbers(sheet, 46.0);
        let end = Timeline { strip, y, step }.draw(sheet, trace, Fill::On);
        sheet.left(x, end + 19.0, Tone::Text, &format!("{} instructions", trace.len()));
        sheet.left(x, end + 35.0, Tone::Text, &format!("{through} of {LANES} get through"));
        described
            .push(format!("{head}: {} instructions, {through} of {LANES} lanes get through", trace.len()));
    }
    sheet.arrow(&[(10.0, y), (10.0, y + 200.0)], Stroke::Arrow);
    Ok(format!(
        "Two pictures of one warp whose halves each raise a flag and wait for the other's; time runs downwards. With one program \
         counter, one half loops until it gives up before the other begins. With one for each lane, the halves take turns. {}.",
        described.join(". ")
    ))
}

/// The lanes of each warp that store, by block and warp.
fn storing(trace: &[Traced]) -> BTreeMap<(u32, u32, u32), u32> {
    let mut stored = BTreeMap::new();
    for step in trace {
        let lanes: &mut u32 = stored.entry((step.block.y, step.block.x, step.warp)).or_default();
        if step.ptx.starts_with("st.global") {
            *lanes |= step.active;
        }
    }
    stored
}

/// All warps of a launch for 1003 elements in a row, and the lanes of the one that diverges.
fn boundary_line(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const N: usize = 1003;
    let values = Random::new(0).floats(N, -1.0, 1.0);
    let (a, b, c) =
        (sources.upload("a", &values)?, sources.upload("b", &values)?, sources.zeroed::<f32>("c", N)?);
    let launch = Launch::cover(&ADD_GUARDED, N, 64).arg(a).arg(b).arg(c).arg(N as i32);
    let warps: Vec<u32> = storing(&sources.trace(&launch)?).into_values().collect();
    let blocks = launch.simt.grid.x;

    let left = |warp: usize| 6.0 + 24.3 * (warp / 2) as f64 + 11.2 * (warp % 2) as f64;
    let (top, width, height) = (26.0, 10.4, 18.0);
    for (block, text) in [(0, "block 0".to_owned()), (blocks - 1, format!("block {}", blocks - 1))] {
        let x = left(2 * block as usize);
        if block == 0 {
            sheet.left(x, 16.0, Tone::Dim, &text);
        } else {
            sheet.right(x + 21.6, 16.0, Tone::Dim, &text);
        }
    }
    let part = |warp: usize| width * f64::from(warps[warp].count_ones()) / f64::from(LANES);
    sheet.rects(Fill::On, (0..warps.len()).map(|warp| [left(warp), top, part(warp), height]));
    sheet.frames(Stroke::Line, (0..warps.len()).map(|warp| [left(warp), top, width, height]));

    let at = warps.iter().position(|&mask| mask != 0 && mask != u32::MAX).context("no warp diverges")?;
    let strip = Strip { x: 26.0, pitch: 11.5, height: 16.0 };
    let low = top + height + 40.0;
    sheet.line(&[(left(at), top + height + 2.0), (strip.x, low - 4.0)], Stroke::Grid);
    sheet.line(&[(left(at) + width, top + height + 2.0), (strip.end(), low - 4.0)], Stroke::Grid);
    strip.mask(sheet, low, warps[at], Fill::On);
    let (first, inside) = (at as u32 * LANES, warps[at].count_ones());
    let base = low + strip.height + 14.0;
    sheet.left(strip.x, base, Tone::Text, &format!("elements {first} to {}", first + inside - 1));
    sheet.right(strip.end(), base, Tone::Text, &format!("{} lanes past the end", LANES - inside));
    let diverging = warps.iter().filter(|&&mask| mask != 0 && mask != u32::MAX).count();
    let (diverged, verb) = (counted(warps.len() as u64, "warp"), diverge(diverging));
    sheet.left(6.0, top + height + 18.0, Tone::Text, &format!("{diverging} of {diverged} {verb}"));
    Ok(format!(
        "{} warps in {blocks} blocks for {N} elements. All of them are full except number {at}, whose first {inside} lanes have elements, \
         {first} to {}, and whose other {} lanes are past the end.",
        warps.len(),
        first + inside - 1,
        LANES - inside,
    ))
}

/// Threads on a side of the blocks that cover a picture; a warp is two rows of its block.
const TILE: u32 = 16;

/// Every warp that covers a picture: filled where its lanes have pixels, an outline where they have none.
fn boundary_map(sources: &mut Sources, sheet: &mut Sheet, width: u32, height: u32) -> Result<String> {
    let picture = sources.zeroed::<f32>("picture", (width * height) as usize)?;
    let out = sources.zeroed::<f32>("out", (width * height) as usize)?;
    let launch = Launch::new(&BRIGHTEN_GUARDED, (width.div_ceil(TILE), height.div_ceil(TILE)), (TILE, TILE));
    let launch = launch.arg(picture).arg(out).arg(width as i32).arg(height as i32);
    let warps = storing(&sources.trace(&launch)?);

    let scale = 388.0 / f64::from(width.next_multiple_of(TILE));
    let (gap, top) = (if scale > 3.0 { 1.2 } else { 0.7 }, 4.0);
    let (mut inside, mut edge, mut outside) = (Vec::new(), Vec::new(), Vec::new());
    let mut counts = [0; 3];
    for (&(by, bx, warp), &mask) in &warps {
        let (x, y) = (6.0 + scale * f64::from(bx * TILE), top + scale * f64::from(by * TILE + 2 * warp));
        // If a warp has pixels in both rows, they are in the same columns; each row is drawn by itself.
        let whole = [x, y, scale * f64::from(TILE) - gap, 2.0 * scale - gap];
        let rows = [mask & 0xffff, mask >> 16].map(u32::count_ones);
        match mask {
            u32::MAX => inside.push(whole),
            0 => outside.push(whole),
            _ => {
                let high = (2.0 * scale - gap) / 2.0;
                let row = |row: usize| {
                    [x, y + high * row as f64, (scale * f64::from(rows[row]) - gap).max(0.0), high]
                };
                edge.extend([row(0), row(1)].into_iter().filter(|rect| rect[2] > 0.0));
                outside.push(whole);
            }
        }
        counts[match mask {
            u32::MAX => 0,
            0 => 2,
            _ => 1,
        }] += 1;
    }
    sheet.frames(Stroke::Grid, outside);
    sheet.rects(Fill::Off, inside);
    sheet.rects(Fill::B, edge);
    let corner = [6.0 - gap, top - gap, scale * f64::from(width) + gap, scale * f64::from(height) + gap];
    sheet.frame(corner, Stroke::Line);
    let y = sheet.bottom() + 20.0;
    let [whole, diverging, empty] = counts;
    sheet.rect([6.0, y - 9.0, 14.0, 9.0], Fill::Off);
    sheet.left(25.0, y, Tone::Text, &format!("{whole} inside"));
    sheet.rect([122.0, y - 9.0, 8.0, 9.0], Fill::B);
    sheet.frames(Stroke::Grid, [[122.0, y - 9.0, 14.0, 9.0], [268.0, y - 9.0, 14.0, 9.0]]);
    sheet.left(141.0, y, Tone::Text, &format!("{diverging} at an edge"));
    sheet.left(287.0, y, Tone::Text, &format!("{empty} outside"));
    Ok(format!(
        "A picture of {width} x {height} pixels under {} blocks of {TILE} x {TILE} threads, each of 8 warps of two rows. {whole} \
         warps are inside, {diverging} at an edge of the picture, with lanes on both sides of it, and {empty} entirely outside.",
        launch.simt.grid.count(),
    ))
}

/// The elements, the block, the threads that build the lists, and the expensive work, as in the chapter.
const N: usize = 4096;
const BLOCK: u32 = 128;
const BUILDERS: usize = 256;
const THRESHOLD: u32 = 1 << 28;

/// PTX instructions in one pass, and with lists, for this many rounds of work.
fn lists(sources: &mut Sources, rounds: i32) -> Result<[u64; 2]> {
    let values = Random::new(0).words(N);
    let (x, z) = (sources.upload("x", &values)?, sources.zeroed::<u32>("z", N)?);
    let places = [
        sources.zeroed::<i32>("simple_places", BUILDERS)?,
        sources.zeroed::<i32>("expensive_places", BUILDERS)?,
    ];
    let found = [sources.zeroed::<i32>("simple", N)?, sources.zeroed::<i32>("expensive", N)?];
    let counts = sources.zeroed::<i32>("counts", 2)?;
    let expensive = values.iter().filter(|&&value| value < THRESHOLD).count();
    let n = N as i32;

    let count = Launch::cover(&COUNT_LISTS, BUILDERS, BLOCK)
        .arg(x)
        .arg(THRESHOLD)
        .arg(places[0])
        .arg(places[1])
        .arg(n);
    let place =
        Launch::new(&PLACE_LISTS, 1, 1).arg(places[0]).arg(places[1]).arg(counts).arg(BUILDERS as i32);
    let fill = Launch::cover(&FILL_LISTS, BUILDERS, BLOCK).arg(x).arg(THRESHOLD);
    let fill = fill.arg(places[0]).arg(places[1]).arg(found[0]).arg(found[1]).arg(n);
    let simple = Launch::cover(&PROCESS_SIMPLE, N - expensive, BLOCK).arg(x).arg(z).arg(found[0]).arg(counts);
    let long = Launch::cover(&PROCESS_EXPENSIVE, expensive, BLOCK)
        .arg(x)
        .arg(z)
        .arg(found[1])
        .arg(counts)
        .arg(rounds);
    let mut with_lists = 0;
    for launch in [count, place, fill, simple, long] {
        with_lists += sources.launch(&launch)?.counters.ptx_instructions;
    }
    let mixed = Launch::cover(&PROCESS_MIXED, N, BLOCK).arg(x).arg(z).arg(THRESHOLD).arg(rounds).arg(n);
    Ok([sources.launch(&mixed)?.counters.ptx_instructions, with_lists])
}

fn lists_cost(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let (mut one_pass, mut two_lists) = (Vec::new(), Vec::new());
    for rounds in [1, 3, 10, 30, 100] {
        let [mixed, lists] = sources.scope(|sources| lists(sources, rounds))?;
        one_pass.push((f64::from(rounds), mixed as f64));
        two_lists.push((f64::from(rounds), lists as f64));
    }
    let tick = |value: i32| (f64::from(value), grouped(value as u64));
    let chart = Chart {
        area: [52.0, 30.0, 268.0, 170.0],
        x: Axis::log(0.8, 120.0, [1, 3, 10, 30, 100].map(tick)),
        y: Axis::log(3_000.0, 60_000.0, [3_000, 10_000, 30_000].map(tick)),
    };
    chart.axes(sheet);
    chart.names(sheet, "rounds of work for an expensive element", "PTX instructions, all kernels together");
    for ((points, look), name) in
        [&one_pass, &two_lists].into_iter().zip(LOOKS).zip(["one pass", "with lists"])
    {
        chart.series(sheet, points, look);
        chart.label(sheet, points, 4.0, name);
    }
    let described = one_pass.iter().zip(&two_lists).map(|(one, two)| {
        format!("{}: {} and {}", counted(one.0 as u64, "round"), grouped(one.1 as u64), grouped(two.1 as u64))
    });
    Ok(format!(
        "Two lines over the rounds of work, both axes logarithmic: PTX instructions of one pass with a branch, and with two \
         lists. {}.",
        described.collect::<Vec<_>>().join("; ")
    ))
}

fn predication(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let chapter = "ch01_divergence";
    let record = sources.emulated(chapter, 0)?;
    let steps = [1, 2, 4, 8, 16, 32];
    let (mut ptx, mut machine, mut diverging) = (Vec::new(), Vec::new(), BTreeSet::new());
    for count in steps {
        let variant = format!("merge_{count}");
        let warps = record.counter(&variant, "warps")?;
        ptx.push((f64::from(count), record.counter(&variant, "ptx_instructions")? / warps));
        machine.push((f64::from(count), sources.metric(chapter, &variant, INSTRUCTIONS)? / warps));
        if sources.metric(chapter, &variant, DIVERGENT)? > 0.0 {
            diverging.insert(count);
        }
    }
    let chart = Chart {
        area: [40.0, 30.0, 250.0, 170.0],
        x: Axis::log(0.85, 38.0, steps.map(|count| (f64::from(count), count.to_string()))),
        y: Axis::linear(0.0, 60.0, [0, 20, 40, 60].map(|value| (f64::from(value), value.to_string()))),
    };
    chart.axes(sheet);
    chart.names(sheet, "steps in the body of the if", "instructions per warp");
    let first = diverging.first().copied().context("no branch is left")?;
    let names = [("PTX", 16.0), ("machine code", 0.0)];
    for ((points, look), (name, down)) in [&ptx, &machine].into_iter().zip(LOOKS).zip(names) {
        chart.series(sheet, points, look);
        chart.label(sheet, points, down, name);
    }
    let x = f64::midpoint(chart.at(f64::from(first) / 2.0, 1.0).0, chart.at(f64::from(first), 1.0).0);
    sheet.line(&[(x, 30.0), (x, 200.0)], Stroke::Line);
    sheet.right(x - 5.0, 46.0, Tone::Text, "predicates");
    sheet.left(x + 5.0, 46.0, Tone::Text, "a branch");
    let described = ptx.iter().zip(&machine).map(|(ptx, machine)| {
        format!("{}: {:.0} and {:.0}", counted(ptx.0 as u64, "step"), ptx.1, machine.1)
    });
    Ok(format!(
        "Two lines over the steps in the body of an if: instructions per warp of PTX on the emulator, and of machine code on an \
         H200. {}. Up to {} steps the machine code has predicates instead of a branch; from {first} steps on it has the branch.",
        described.collect::<Vec<_>>().join("; "),
        steps.iter().rev().find(|&&count| count < first).copied().unwrap_or(0),
    ))
}
