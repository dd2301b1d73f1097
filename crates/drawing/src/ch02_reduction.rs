//! Figures of chapter 2: one sum from many numbers.

mod times;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use simt::Severity;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::banks::READ_STRIDED;
use thirty_two_lanes::kernels::reduction::{
    REDUCE_INTERLEAVED, REDUCE_INTERLEAVED_EARLY, REDUCE_INTERLEAVED_SKIP, REDUCE_INTERLEAVED_UNGUARDED,
    REDUCE_NEIGHBORED, REDUCE_NEIGHBORED_LESS,
};
use thirty_two_lanes::kernels::reduction_floats::{
    FLOATS_EIGHT_PARTS, FLOATS_INTERLEAVED, FLOATS_NEIGHBORED, FLOATS_ONE_BY_ONE,
};
use thirty_two_lanes::launch::blocks_for;
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Launch, Random, Traced};

use crate::Figure;
use crate::chart::{Axis, Bar, Bars, Chart, LOOKS};
use crate::pairs::{Pair, launch, pairs};
use crate::sheet::{Anchor, Fill, Mark, Sheet, Stroke, Tone};
use crate::sources::Sources;
use crate::timeline::is;
use crate::warp::{LANES, Strip};

pub const FIGURES: &[Figure] = &[
    Figure {
        name: "pairs_neighbored",
        title: "Neighboured pairs: which element is added to which in each round",
        draw: |sources, sheet| pairs_of(sources, sheet, &REDUCE_NEIGHBORED),
    },
    Figure {
        name: "pairs_interleaved",
        title: "Interleaved pairs: which element is added to which in each round",
        draw: |sources, sheet| pairs_of(sources, sheet, &REDUCE_INTERLEAVED),
    },
    Figure {
        name: "rounds_lanes",
        title: "Which lanes of two warps add in each round, in two kernels",
        draw: rounds_lanes,
    },
    Figure {
        name: "warps_instructions",
        title: "How many instructions each warp of a block issues, in three kernels",
        draw: warps_instructions,
    },
    Figure {
        name: "sectors_touched",
        title: "Which sectors one load request of the first warp touches, in three kernels",
        draw: sectors_touched,
    },
    Figure {
        name: "sectors_total",
        title: "Load requests and sectors loaded, in three kernels",
        draw: sectors_total,
    },
    Figure {
        name: "edges_past_end",
        title: "Which threads read past the end of the array if the guard checks only a thread's own element",
        draw: edges_past_end,
    },
    Figure {
        name: "barrier_comers",
        title: "Which threads reach the barrier of a round",
        draw: barrier_comers,
    },
    Figure {
        name: "steps_time",
        title: "Time on an H200, from sums in global memory to a last warp without barriers of the block",
        draw: times::steps_time,
    },
    Figure {
        name: "roofline",
        title: "The roof of memory on an H200, and the kernels below it",
        draw: times::roofline,
    },
    Figure { name: "float_errors", title: "How far off four orders of additions are", draw: float_errors },
    Figure {
        name: "bank_conflicts",
        title: "Bank conflicts of one load request by its stride",
        draw: bank_conflicts,
    },
];

/// The elements of the small block that shows which of them are added.
const SMALL: usize = 16;

/// A row of boxes for the elements before each round and after the last one; arrows show what is added where.
fn pairs_of(sources: &mut Sources, sheet: &mut Sheet, kernel: &'static Kernel) -> Result<String> {
    let pairs = pairs(sources, kernel, SMALL, SMALL)?;
    let rounds = pairs.iter().map(|pair| pair.round + 1).max().unwrap_or(0);
    let (width, height) = (17.5, 17.0);
    let centre = |element: usize| 61.5 + 21.7 * element as f64;
    let distance = |round: usize| {
        let pair = pairs.iter().find(|pair| pair.round == round);
        pair.map_or(0, |pair| pair.from.abs_diff(pair.into))
    };
    // Crossing arrows need space; arrows between neighbours never cross.
    let crossing = |round: usize| {
        if pairs.iter().any(|pair| pair.round == round && pair.into % 2 == 1) { 3.4 } else { 0.0 }
    };
    let room = |round: usize| 46.0 + crossing(round) * distance(round) as f64;
    let top = |round: usize| 4.0 + (0..round).map(room).sum::<f64>();
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
        // An arrow ends at the side of the box that faces its start.
        let end = centre(into) + (width / 2.0 - 3.0).copysign(from as f64 - into as f64);
        sheet.arrow(&[(centre(from), above), (end, below)], Stroke::Arrow);
    }
    sheet.sized(1.0, top(0) + 12.7, Anchor::Start, Tone::Dim, 12.0, "element");
    for round in 0..rounds {
        sheet.left(
            4.0,
            top(round) + f64::midpoint(height, room(round)) + 4.5,
            Tone::Text,
            &format!("round {}", round + 1),
        );
    }
    let described = |round: usize| {
        let of_round: Vec<&Pair> = pairs.iter().filter(|pair| pair.round == round).collect();
        let (count, apart) = (of_round.len(), distance(round));
        format!("round {}: {count} {}, {apart} apart", round + 1, if count == 1 { "pair" } else { "pairs" })
    };
    let described: Vec<String> = (0..rounds).map(described).collect();
    Ok(format!(
        "{SMALL} elements in a row, and an arrow from each element to the one that it is added to, round by round: \
         {}. At the end element {} holds the sum.",
        described.join("; "),
        pairs.last().map_or(0, |pair| pair.into),
    ))
}

/// For each warp, the lanes that add in a round.
type Adding = BTreeMap<u32, u32>;

/// What one block does: the lanes that add in each round, and the PTX instructions of each warp.
struct Rounds {
    adding: Vec<Adding>,
    issued: Vec<u32>,
}

/// Runs a kernel on one block of `threads` elements. A barrier ends a warp's round. The first store is a sum, and so
/// are all others of its line.
fn rounds(sources: &mut Sources, kernel: &'static Kernel, threads: u32) -> Result<Rounds> {
    let (launch, _) = launch(sources, kernel, &vec![1; threads as usize], threads as usize)?;
    let steps = sources.trace(&launch)?;
    let is_store = |ptx: &str| ptx.starts_with("st.global");
    let line = steps.iter().find(|step| is_store(&step.ptx)).context("nothing is stored")?.line;
    let warps = threads.div_ceil(LANES) as usize;
    let (mut rounds, mut round) = (Rounds { adding: Vec::new(), issued: vec![0; warps] }, vec![0; warps]);
    for step in &steps {
        let warp = step.warp as usize;
        rounds.issued[warp] += 1;
        if step.ptx.starts_with("bar.sync") {
            round[warp] += 1;
        } else if step.line == line && is_store(&step.ptx) {
            rounds.adding.resize_with(rounds.adding.len().max(round[warp] + 1), Adding::new);
            *rounds.adding[round[warp]].entry(step.warp).or_default() |= step.active;
        }
    }
    Ok(rounds)
}

fn rounds_lanes(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const THREADS: u32 = 64;
    let strips = [24.0, 186.0].map(|x| Strip { x, pitch: 4.9, height: 8.5 });
    for (warp, strip) in strips.iter().enumerate() {
        sheet.middle(strip.centre(15), 12.0, Tone::Dim, &format!("warp {warp}"));
    }
    sheet.left(2.0, 12.0, Tone::Dim, "round");
    sheet.right(396.0, 12.0, Tone::Dim, "idle");
    let (mut y, mut described) = (36.0, Vec::new());
    let cases = [
        (&REDUCE_NEIGHBORED, "thread i adds to element i"),
        (&REDUCE_NEIGHBORED_LESS, "thread k adds pair k"),
    ];
    for (kernel, what) in cases {
        let rounds = rounds(sources, kernel, THREADS)?;
        sheet.left(24.0, y, Tone::Strong, what);
        let mut shares = Vec::new();
        for (round, adding) in rounds.adding.iter().enumerate() {
            y += 15.0;
            sheet.sized(14.0, y, Anchor::End, Tone::Dim, 12.0, &(round + 1).to_string());
            for (strip, warp) in strips.iter().zip(0..) {
                strip.mask(sheet, y - 8.5, adding.get(&warp).copied().unwrap_or(0), Fill::On);
            }
            let lanes: u32 = adding.values().map(|mask| mask.count_ones()).sum();
            let idle = 100.0 - 100.0 * f64::from(lanes) / f64::from(LANES * adding.len() as u32);
            sheet.right(396.0, y, Tone::Text, &format!("{idle:.0} %"));
            shares.push(format!("{idle:.0} %"));
        }
        described.push(format!("If {what}, {} of the lanes idle in the warps that add", shares.join(", ")));
        y += 26.0;
    }
    Ok(format!(
        "Two warps of {LANES} lanes, a row for each round, with the lanes that add. {}.",
        described.join(". ")
    ))
}

/// The three pairings, and their names in the figures.
static PAIRINGS: [(&Kernel, &str); 3] = [
    (&REDUCE_NEIGHBORED, "neighbored"),
    (&REDUCE_NEIGHBORED_LESS, "neighbored_less"),
    (&REDUCE_INTERLEAVED, "interleaved"),
];

fn warps_instructions(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const THREADS: u32 = 256;
    let tick = |value: u32| (f64::from(value), value.to_string());
    let warps = THREADS / LANES;
    let chart = Chart {
        area: [36.0, 30.0, 240.0, 180.0],
        x: Axis::linear(-0.3, f64::from(warps) - 0.7, (0..warps).map(tick)),
        y: Axis::linear(0.0, 180.0, [0, 60, 120, 180].map(tick)),
    };
    chart.axes(sheet);
    chart.names(sheet, "warp of the block", "PTX instructions of a warp");
    let mut described = Vec::new();
    for (((kernel, name), look), down) in PAIRINGS.into_iter().zip(LOOKS).zip([4.0, -4.0, 13.0]) {
        let issued = rounds(sources, kernel, THREADS)?.issued;
        let points: Vec<_> =
            issued.iter().zip(0..).map(|(&issued, warp)| (f64::from(warp), f64::from(issued))).collect();
        chart.series(sheet, &points, look);
        chart.label(sheet, &points, down, name);
        let list: Vec<String> = issued.iter().map(u32::to_string).collect();
        described.push(format!("{name}: {}", list.join(", ")));
    }
    Ok(format!(
        "PTX instructions of each of the {warps} warps of one block of {THREADS} threads. {}.",
        described.join(". ")
    ))
}

/// The number of `int` elements in a sector.
const SECTOR: usize = 8;

/// For three kernels and three rounds: the elements, of 64, from which the first warp takes its sums, and their
/// sectors.
fn sectors_touched(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const THREADS: usize = 64;
    let at = |element: usize| 24.0 + 4.15 * element as f64 + 2.4 * (element / SECTOR) as f64;
    sheet.left(2.0, 12.0, Tone::Dim, "round");
    sheet.middle(326.0, 12.0, Tone::Dim, "lanes");
    sheet.middle(373.0, 12.0, Tone::Dim, "sectors");
    let (mut y, mut described) = (32.0, Vec::new());
    for (kernel, name) in PAIRINGS {
        let pairs = pairs(sources, kernel, THREADS, THREADS)?;
        let rounds = rounds(sources, kernel, THREADS as u32)?;
        sheet.left(24.0, y, Tone::Strong, name);
        let mut list = Vec::new();
        for round in 0..3 {
            y += 16.0;
            // Lanes add in the order of the elements, so the first warp has the first pairs of the round.
            let lanes = rounds.adding[round].get(&0).copied().unwrap_or(0).count_ones() as usize;
            let of_round: Vec<&Pair> = pairs.iter().filter(|pair| pair.round == round).collect();
            let all: u32 = rounds.adding[round].values().map(|mask| mask.count_ones()).sum();
            ensure!(
                of_round.len() == all as usize,
                "in round {round} of {name}, lanes are not as many as pairs"
            );
            let read: BTreeSet<usize> = of_round[..lanes].iter().map(|pair| pair.into).collect();
            let sectors: BTreeSet<usize> = read.iter().map(|element| element / SECTOR).collect();
            sheet.sized(14.0, y, Anchor::End, Tone::Dim, 12.0, &(round + 1).to_string());
            sheet.frames(
                Stroke::Line,
                sectors.iter().map(|sector| [at(sector * SECTOR) - 1.3, y - 10.8, 34.9, 12.6]),
            );
            sheet.boxes((3.4, 8.5), Fill::On, read.iter().map(|&element| (at(element), y - 8.8)));
            let rest = (0..THREADS).filter(|element| !read.contains(element));
            sheet.boxes((1.8, 1.8), Fill::Off, rest.map(|element| (at(element) + 0.8, y - 5.4)));
            sheet.middle(326.0, y, Tone::Text, &lanes.to_string());
            sheet.middle(373.0, y, Tone::Strong, &sectors.len().to_string());
            list.push(format!("{lanes} lanes in {} sectors", sectors.len()));
        }
        described.push(format!("{name}: {}", list.join(", ")));
        y += 26.0;
    }
    Ok(format!(
        "{THREADS} elements in sectors of {SECTOR}, and what one load request of the first warp reads of them in the first three \
         rounds. {}.",
        described.join(". ")
    ))
}

/// The elements and the block of the chapter's report.
const N: usize = 16_384;
const BLOCK: u32 = 128;

fn sectors_total(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let values: Vec<i32> = Random::new(0).words(N).into_iter().map(|word| (word >> 24) as i32).collect();
    let mut counted = Vec::new();
    for (kernel, name) in PAIRINGS {
        let blocks = blocks_for(N, BLOCK);
        let (x, sums) = (sources.upload("x", &values)?, sources.zeroed::<i32>("sums", blocks as usize)?);
        let counters =
            sources.launch(&Launch::new(kernel, blocks, BLOCK).arg(x).arg(sums).arg(N as u32))?.counters;
        counted.push((name, counters.global_load_requests, counters.global_load_sectors));
    }
    let most = counted.iter().map(|&(_, _, sectors)| sectors).max().unwrap_or(1) as f64;
    let bars = Bars { x: 132.0, width: 205.0, most, pitch: 22.0, tone: Tone::Text };
    let bar = |name: &str, value: u64, fill| Bar {
        name: name.to_owned(),
        value: value as f64,
        label: grouped(value),
        fill,
    };
    sheet.left(132.0, 13.0, Tone::Strong, "load requests");
    let requests: Vec<Bar> =
        counted.iter().map(|&(name, requests, _)| bar(name, requests, Fill::A)).collect();
    let end = bars.draw(sheet, 24.0, &requests);
    sheet.left(132.0, end + 26.0, Tone::Strong, "sectors loaded");
    let sectors: Vec<Bar> = counted.iter().map(|&(name, _, sectors)| bar(name, sectors, Fill::B)).collect();
    bars.draw(sheet, end + 37.0, &sectors);
    let described = counted.iter().map(|&(name, requests, sectors)| {
        format!("{name}: {} requests, {} sectors", grouped(requests), grouped(sectors))
    });
    Ok(format!(
        "Bars for three kernels that add up {} elements in blocks of {BLOCK}. {}.",
        grouped(N as u64),
        described.collect::<Vec<_>>().join(". ")
    ))
}

/// The first round of the last block: 104 of 128 threads have elements, and 24 add memory after the end of the array.
fn edges_past_end(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const WHOLE: usize = 1000;
    let (threads, n) = (BLOCK as usize, WHOLE % BLOCK as usize);
    let pairs = pairs(sources, &REDUCE_INTERLEAVED_UNGUARDED, threads, n)?;
    let first: Vec<&Pair> = pairs.iter().filter(|pair| pair.round == 0).collect();
    let half = threads / 2;
    let at = |element: usize| 8.0 + 6.0 * (element % half) as f64;
    let row = |element: usize| if element < half { 26.0 } else { 84.0 };
    let block = WHOLE - n;
    let label = |sheet: &mut Sheet, element: usize, anchor, y: f64| {
        let x = match anchor {
            Anchor::Start => at(element),
            Anchor::End => at(element) + 5.0,
            Anchor::Middle => at(element) + 2.5,
        };
        sheet.text(x, y, anchor, Tone::Dim, &(block + element).to_string());
    };
    label(sheet, 0, Anchor::Start, 16.0);
    label(sheet, half - 1, Anchor::End, 16.0);
    label(sheet, half, Anchor::Start, 112.0);
    label(sheet, n - 1, Anchor::End, 112.0);
    sheet.boxes((5.0, 14.0), Fill::On, (0..n).map(|element| (at(element), row(element))));
    sheet.frames(Stroke::Line, (n..threads).map(|element| [at(element), row(element), 5.0, 14.0]));
    let (mut good, mut bad) = (0, 0);
    for pair in &first {
        let ways =
            [(at(pair.from) + 2.5, row(pair.from) - 3.0), (at(pair.into) + 2.5, row(pair.into) + 17.0)];
        if pair.from < n {
            good += 1;
            sheet.line(&ways, Stroke::Arrow);
        } else {
            bad += 1;
            sheet.line(&ways, Stroke::ArrowBad);
        }
    }
    sheet.right(at(threads - 1) + 5.0, 112.0, Tone::Strong, &format!("{bad} past the end"));
    sheet.left(at(0), 136.0, Tone::Text, "each adds the element below it:");
    sheet.left(
        at(0),
        153.0,
        Tone::Text,
        &format!("{good} add an element of the array, {bad} what is past its end"),
    );
    Ok(format!(
        "The last block of {WHOLE} elements in blocks of {threads}: elements {block} to {} in two rows, followed by places without \
         an element. In the first round each element of the first row adds the one below it: for {good} of them that is an \
         element of the array, for {bad} it is past the end.",
        WHOLE - 1,
    ))
}

/// The threads of the last block of the chapter's array, and how many of them have an element.
const LAST_BLOCK: (u32, usize) = (128, 104);

/// Where the threads of a block are in its first round if some of them have no element.
fn barrier_comers(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let (block, elements) = LAST_BLOCK;
    let strip = |warp: u32| Strip { x: 62.0 + 84.0 * f64::from(warp), pitch: 2.5, height: 9.0 };
    for warp in 0..block / LANES {
        sheet.sized(strip(warp).x, 12.0, Anchor::Start, Tone::Dim, 12.0, &format!("warp {warp}"));
    }
    let (mut y, mut described) = (22.0, Vec::new());
    for kernel in [&REDUCE_INTERLEAVED, &REDUCE_INTERLEAVED_EARLY, &REDUCE_INTERLEAVED_SKIP] {
        let (x, sums) = (sources.upload("x", &vec![1; elements])?, sources.zeroed::<i32>("sums", 1)?);
        let launch = Launch::new(kernel, 1, block).arg(x).arg(sums).arg(elements as u32);
        let (run, _) = sources.trial(&launch, sums)?;
        let verdict = match run.faults.first() {
            None => "ok",
            Some(fault) if fault.severity == Severity::Warning => "a warning",
            Some(fault) => fault.kind.name(),
        };
        let places = barriers_reached(&sources.trace(&launch)?, block);
        sheet.sized(4.0, y + 10.0, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        sheet.right(396.0, y + 10.0, if run.faults.is_empty() { Tone::Text } else { Tone::Strong }, verdict);
        y += 18.0;
        let mut words = Vec::new();
        for (place, fill) in [("round", Fill::On), ("after", Fill::Bad), ("ended", Fill::C)] {
            let is_there = |thread: u32| places[thread as usize] == place;
            let count = (0..block).filter(|&thread| is_there(thread)).count();
            if count == 0 {
                continue;
            }
            sheet.left(4.0, y + 8.0, Tone::Dim, place);
            for warp in 0..block / LANES {
                let fill = |lane| Some(if is_there(LANES * warp + lane) { fill } else { Fill::Off });
                strip(warp).cells(sheet, y, fill);
            }
            y += 14.0;
            words.push(format!("{count} {place}"));
        }
        y += 10.0;
        described.push(format!("{kernel}: {}, {verdict}", words.join(", ")));
    }
    Ok(format!(
        "The {block} threads of a block with {elements} elements on the emulator, a cell for each, and where they are in the \
         first round: at its barrier, at the barrier after the loop, or ended. {}.",
        described.join("; ")
    ))
}

/// For each thread of a block, whether the first barrier that it reaches is the one of a round or the one after the
/// loop.
fn barriers_reached(trace: &[Traced], block: u32) -> Vec<&'static str> {
    let mut reached = vec![None; block as usize];
    let barriers = trace.iter().filter(|step| is(step, "bar.sync"));
    for step in barriers.clone() {
        for lane in (0..LANES).filter(|lane| step.active >> lane & 1 == 1) {
            reached[(LANES * step.warp + lane) as usize].get_or_insert(step.line);
        }
    }
    // In the source, the barrier of the rounds is the first one.
    let round = barriers.map(|step| step.line).min();
    let place = |line| match line {
        None => "ended",
        Some(line) if Some(line) == round => "round",
        Some(_) => "after",
    };
    reached.into_iter().map(place).collect()
}

/// How many sets of numbers are tried for each order of additions.
const SEEDS: u64 = 8;

/// An order, with the elements of a block and the threads that add them.
static ORDERS: [(&Kernel, &str, usize, u32); 4] = [
    (&FLOATS_ONE_BY_ONE, "one by one", N, 1),
    (&FLOATS_NEIGHBORED, "neighbours", BLOCK as usize, BLOCK),
    (&FLOATS_INTERLEAVED, "interleaved", BLOCK as usize, BLOCK),
    (&FLOATS_EIGHT_PARTS, "eight, then a tree", 8 * BLOCK as usize, BLOCK),
];

/// The error of a sum, in units of its last place.
fn error(
    sources: &mut Sources,
    kernel: &'static Kernel,
    per_block: usize,
    block: u32,
    seed: u64,
) -> Result<f64> {
    let values = Random::new(seed).floats(N, 0.0, 1.0);
    let exact: f64 = values.iter().map(|&x| f64::from(x)).sum();
    let blocks = blocks_for(N, per_block as u32);
    let (x, sums) = (sources.upload("x", &values)?, sources.zeroed::<f32>("sums", blocks as usize)?);
    let launch = Launch::new(kernel, blocks, block).arg(x).arg(sums).arg(N as u32).unchecked();
    let (_, sums) = sources.trial(&launch, sums)?;
    let sum: f64 = sums.into_iter().map(f64::from).sum();
    let near = exact as f32;
    Ok((sum - exact).abs() / (f64::from(near.next_up()) - f64::from(near)))
}

fn float_errors(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let tick = |value: f64| (value, value.to_string());
    let chart = Chart {
        area: [138.0, 6.0, 246.0, 132.0],
        x: Axis::log(0.0005, 100.0, [0.001, 0.01, 0.1, 1.0, 10.0, 100.0].map(tick)),
        y: Axis::linear(0.0, 4.0, []),
    };
    chart.axes(sheet);
    let mut described = Vec::new();
    for ((kernel, name, per_block, block), row) in ORDERS.into_iter().zip(0..) {
        let mut errors = Vec::new();
        for seed in 0..SEEDS {
            errors.push(sources.scope(|sources| error(sources, kernel, per_block, block, seed))?);
        }
        let (_, y) = chart.at(1.0, 3.5 - f64::from(row));
        sheet.right(130.0, y + 4.3, Tone::Text, name);
        sheet.line(&[(138.0, y), (384.0, y)], Stroke::Grid);
        let look = LOOKS[row as usize];
        for error in &errors {
            sheet.mark((chart.at(error.max(0.0006), 0.0).0, y), 3.6, look.mark, look.fill);
        }
        errors.sort_by(f64::total_cmp);
        described.push(format!("{name}: from {:.3} to {:.3}", errors[0], errors[errors.len() - 1]));
    }
    sheet.middle(250.0, 172.0, Tone::Text, "error, in units of the sum's last place");
    Ok(format!(
        "Errors of the sum of {} floats in {SEEDS} sets of numbers, for four orders of additions, in units of the sum's last \
         place. {}.",
        grouped(N as u64),
        described.join(". ")
    ))
}

fn bank_conflicts(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let strides = 1..=33;
    let mut conflicts = Vec::new();
    for stride in strides.clone() {
        let z = sources.zeroed::<i32>("z", LANES as usize)?;
        let run = sources.launch(&Launch::new(&READ_STRIDED, 1, LANES).arg(z).arg(stride))?;
        let counters = run.counters;
        ensure!(counters.shared_load_requests == 1, "the kernel loads more than once");
        conflicts.push((stride, counters.shared_load_bank_conflicts));
    }
    let most = conflicts.iter().map(|&(_, count)| count).max().unwrap_or(1);
    let tick = |value: i32| (f64::from(value), value.to_string());
    let chart = Chart {
        area: [30.0, 30.0, 362.0, 150.0],
        x: Axis::linear(0.2, 33.8, [1, 2, 4, 8, 12, 16, 20, 24, 28, 32].map(tick)),
        y: Axis::linear(0.0, 32.0, [0, 8, 16, 24, 31].map(tick)),
    };
    chart.axes(sheet);
    chart.names(sheet, "stride, in words", "conflicts of one load request");
    let (_, zero) = chart.at(1.0, 0.0);
    for &(stride, count) in &conflicts {
        let (x, y) = chart.at(f64::from(stride), count as f64);
        if count > 0 {
            sheet.rect([x - 3.4, y, 6.8, zero - y], Fill::A);
        } else {
            sheet.mark((x, zero - 4.0), 2.6, Mark::Disc, Fill::Good);
        }
    }
    sheet.mark((44.0, 44.0), 2.6, Mark::Disc, Fill::Good);
    sheet.left(52.0, 48.3, Tone::Text, "no conflict");
    let with = |wanted: u64| {
        let strides: Vec<String> = conflicts
            .iter()
            .filter(|&&(_, count)| count == wanted)
            .map(|(stride, _)| stride.to_string())
            .collect();
        format!("{wanted} at stride {}", strides.join(", "))
    };
    let counts: BTreeSet<u64> = conflicts.iter().map(|&(_, count)| count).collect();
    Ok(format!(
        "Bars of the bank conflicts of one load by {LANES} lanes, for strides from 1 to 33: {}. The most are {most}.",
        counts.into_iter().map(with).collect::<Vec<_>>().join("; ")
    ))
}
