//! The figures of chapter 3: lanes that wait for each other, the last five rounds of a sum, and races in time.
//!
//! It leaves out how the checker finds a race, which the emulator's pages tell.

use anyhow::{Context, Result, ensure};
use lanes::kernel::Kernel;
use lanes::kernels::progress::{CHAIN_BEHIND, HANDSHAKE, LOCK_BEHIND, LOCK_INSIDE};
use lanes::kernels::races::{TREE_BARRIER, TREE_NO_BARRIER, WARP_TREE_UNGUARDED};
use lanes::kernels::syncwarp::{
    MASK_DEFAULT, MASK_OUTSIDE, MASK_SEVEN_F, TAIL_NO_BARRIER, TAIL_OTHER_ORDER, TAIL_SYNCWARP, TILE_BARRIER,
    TILE_NO_BARRIER,
};
use lanes::report::layout::{counted, grouped};
use lanes::{Buffer, Launch, Random, Run, Schedule, Traced};

use crate::timeline::{Track, is, legend, literal, shortened};
use crate::warp::{LANES, Strip};
use crate::{Anchor, Figure, Fill, Mark, Sheet, Stroke, Studio, Tone};

pub const FIGURES: &[Figure] = &[
    Figure {
        name: "handshake_60",
        title: "Two halves of a warp with one program counter",
        draw: handshake_60,
    },
    Figure {
        name: "handshake_70",
        title: "Two halves of a warp with a program counter a lane",
        draw: handshake_70,
    },
    Figure { name: "lock_progress", title: "Which lanes get what they wait for", draw: lock_progress },
    Figure { name: "tail_pairs", title: "Who reads whom in the last five rounds", draw: tail_pairs },
    Figure { name: "tail_race", title: "One race in two orders", draw: tail_race },
    Figure { name: "mask_seven_f", title: "Three masks of a barrier of the warp", draw: masks },
    Figure { name: "race_seeds", title: "What twenty seeds show of a race", draw: race_seeds },
    Figure { name: "tile_race", title: "A tile with and without the barrier", draw: tile_race },
];

/// Turns of a loop before a lane gives up, as in the chapter.
const PATIENCE: i32 = 20_000;

/// Integers as the chapter adds them.
fn integers(n: usize) -> Vec<i32> {
    Random::new(0).words(n).iter().map(|word| (word % 1000) as i32).collect()
}

/// A line of a kernel's file, as far as there is room for it.
fn source(kernel: &Kernel, line: u32, room: usize) -> String {
    let text = kernel.file.source.lines().nth(line as usize - 1).unwrap_or_default();
    let text = text.split("  //").next().unwrap_or_default().trim();
    if text.chars().count() <= room {
        text.to_owned()
    } else {
        text.chars().take(room - 1).chain(['…']).collect()
    }
}

fn handshake_60(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    handshake(studio, sheet, 60)
}

fn handshake_70(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    handshake(studio, sheet, 70)
}

/// Instructions in a row of the same lanes for the same line.
struct Stretch {
    mask: u32,
    line: Option<u32>,
    instructions: u64,
}

fn stretches(trace: &[Traced]) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for step in trace {
        match stretches.last_mut() {
            Some(last) if last.mask == step.mask && (last.line == step.line || last.mask == u32::MAX) => {
                last.instructions += 1;
            }
            _ => stretches.push(Stretch { mask: step.mask, line: step.line, instructions: 1 }),
        }
    }
    stretches
}

fn handshake(studio: &mut Studio, sheet: &mut Sheet, arch: u32) -> Result<String> {
    let (flag, through) = (studio.zeroed::<i32>("flag", 2)?, studio.zeroed::<i32>("through", 32)?);
    let launch = Launch::new(&HANDSHAKE, 1, LANES).arch(arch)?.arg(flag).arg(through).arg(PATIENCE);
    let trace = studio.trace(&launch)?;
    let (_, through) = studio.trial(&launch, through)?;

    let strip = Strip::squares(4.0, 6.2);
    let text = strip.end() + 10.0;
    strip.numbers(sheet, 12.0);
    let mut y = 20.0;
    for Stretch { mask, line, instructions } in stretches(&trace) {
        // A loop is longer than the line before it, but not 70,000 times.
        let height = 24.0 + 9.0 * (instructions as f64).log10().max(0.8);
        lanes_at_work(sheet, strip, y, height, mask);
        let told = match line {
            _ if mask == u32::MAX => "all together".to_owned(),
            Some(line) => source(&HANDSHAKE, line, 25),
            None => String::new(),
        };
        let tone = if mask == u32::MAX { Tone::Text } else { Tone::Mono };
        sheet.sized(text, y + 12.0, Anchor::Start, tone, 12.0, &told);
        sheet.left(text, y + 27.0, Tone::Dim, &counted(instructions, "instruction"));
        y += height + 3.0;
    }
    let through: Vec<bool> = through.iter().map(|&through| through == 1).collect();
    y += 4.0;
    outcome(sheet, strip, y, &through);
    let passed = through.iter().filter(|&&through| through).count();
    sheet.left(text, y + 6.0, Tone::Strong, &format!("{passed} of {LANES} saw the other flag"));
    sheet.reach(y + 8.0);

    let most = stretches(&trace).iter().map(|stretch| stretch.instructions).max().unwrap_or_default();
    Ok(format!(
        "Time goes down, a column for each lane, kernel handshake built for sm_{arch}, one warp on the emulator. A bar is a \
         source line that the same lanes executed without a break; its height grows with the logarithm of its PTX \
         instructions. The longest stretch takes {} instructions. {passed} of {LANES} lanes see the other half's flag.",
        grouped(most)
    ))
}

/// A bar as wide as the lanes of a mask.
fn lanes_at_work(sheet: &mut Sheet, strip: Strip, y: f64, height: f64, mask: u32) {
    for lane in 0..LANES {
        if mask >> lane & 1 == 1 {
            sheet.rect([strip.lane(lane), y, strip.width(), height], Fill::On);
        } else {
            sheet.line(&[(strip.centre(lane), y), (strip.centre(lane), y + height)], Stroke::Grid);
        }
    }
}

/// A disc for each lane that got what it waited for, a cross for one that gave up.
fn outcome(sheet: &mut Sheet, strip: Strip, y: f64, through: &[bool]) {
    for (lane, &through) in (0..).zip(through) {
        let (mark, fill) = if through { (Mark::Disc, Fill::Good) } else { (Mark::Cross, Fill::Bad) };
        sheet.mark((strip.centre(lane), y + 2.0), 0.5 * strip.width(), mark, fill);
    }
}

/// A kernel, and what its buffers hold before `through`.
type Waiting = (&'static Kernel, Vec<Vec<i32>>);

fn lock_progress(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let mut open = vec![0; 33];
    open[0] = 1;
    let waiting: [Waiting; 4] = [
        (&LOCK_BEHIND, vec![vec![0], vec![0]]),
        (&CHAIN_BEHIND, vec![open]),
        (&HANDSHAKE, vec![vec![0, 0]]),
        (&LOCK_INSIDE, vec![vec![0], vec![0]]),
    ];
    let strip = Strip::squares(52.0, 9.8);
    strip.numbers(sheet, 12.0);
    let mut y = 24.0;
    let mut told = Vec::new();
    for (kernel, before) in &waiting {
        sheet.sized(4.0, y + 10.0, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        y += 19.0;
        for arch in [60, 70] {
            let mut launch = Launch::new(kernel, 1, LANES).arch(arch)?;
            for words in before {
                launch = launch.arg(studio.upload("cell", words)?);
            }
            let through = studio.zeroed::<i32>("through", 32)?;
            let (_, through) = studio.trial(&launch.arg(through).arg(PATIENCE), through)?;
            let through: Vec<bool> = through.iter().map(|&through| through == 1).collect();
            let passed = through.iter().filter(|&&through| through).count();
            sheet.left(4.0, y + 9.0, Tone::Dim, &format!("sm_{arch}"));
            outcome(sheet, strip, y + 2.5, &through);
            sheet.right(
                396.0,
                y + 9.0,
                if passed == 32 { Tone::Text } else { Tone::Strong },
                &passed.to_string(),
            );
            told.push(format!("{kernel} for sm_{arch}: {passed}"));
            y += 18.0;
        }
        y += 9.0;
    }
    Ok(format!(
        "A mark for each of {LANES} lanes of one warp on the emulator: a disc if the lane got what it waited for, a cross if it \
         gave up after {} turns of its loop; on the right how many got it. {}.",
        grouped(PATIENCE as u64),
        told.join(", ")
    ))
}

/// The sum of a block by a kernel whose last rounds stay in a warp, and where it is left.
fn tail(studio: &mut Studio, kernel: &'static Kernel, block: u32) -> Result<(Launch, Buffer<i32>, i32)> {
    let values = integers(block as usize);
    let (x, sum) = (studio.upload("x", &values)?, studio.zeroed::<i32>("sum", 1)?);
    let launch = Launch::new(kernel, 1, block).shared_bytes(4 * block);
    Ok((launch.arg(x).arg(sum).arg(block as i32), sum, values.iter().sum()))
}

/// The offset of each of the last rounds, and who adds in it.
fn rounds(trace: &[Traced]) -> Vec<(u32, u32)> {
    let mut offset = None;
    let mut rounds = Vec::new();
    for step in trace {
        if is(step, "add.s32") {
            // The thread's number and the offset.
            offset = literal(&step.ptx).or(offset);
        } else if is(step, "ld.shared")
            && let Some((_, bytes)) = step.ptx.split_once("[part+")
        {
            // The last lane is on its own, and the compiler knows where its partner is.
            offset = bytes.trim_end_matches("];").parse().ok().map(|bytes: u32| bytes / 4);
        } else if is(step, "st.shared") {
            rounds.extend(offset.take().map(|offset| (offset, step.active)));
        }
    }
    rounds
}

fn tail_pairs(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let (launch, sum, exact) = tail(studio, &TAIL_SYNCWARP, LANES)?;
    let (_, got) = studio.trial(&launch, sum)?;
    ensure!(got[0] == exact, "the sum is {} and not {exact}", got[0]);
    let trace = studio.trace(&launch)?;
    let rounds = rounds(&trace);
    ensure!(rounds.len() == 5, "five rounds, and not {}", rounds.len());

    let strip = Strip::squares(62.0, 10.5);
    strip.numbers(sheet, 12.0);
    let mut y = 19.0;
    strip.mask(sheet, y, u32::MAX, Fill::On);
    for &(offset, adding) in &rounds {
        let from = y + strip.width() + 1.5;
        // The farther a value goes, the more room its line has.
        y += 30.0 + 1.6 * f64::from(offset);
        sheet.left(4.0, f64::midpoint(from, y) + 4.0, Tone::Text, &format!("offset {offset}"));
        for lane in (0..LANES).filter(|lane| adding >> lane & 1 == 1) {
            sheet.line(&[(strip.centre(lane + offset), from), (strip.centre(lane), y - 1.5)], Stroke::Arrow);
        }
        strip.mask(sheet, y, adding, Fill::On);
    }
    let lanes: Vec<String> =
        rounds.iter().map(|(offset, adding)| format!("{} at offset {offset}", adding.count_ones())).collect();
    Ok(format!(
        "Five rounds from top to bottom, a column for each lane of one warp, kernel tail_syncwarp on the emulator. Each line \
         goes from the lane that is read, above, to the lane that adds. Lanes that add: {}. Lane 0 ends with the sum, {}.",
        lanes.join(", "),
        grouped(got[0] as u64)
    ))
}

/// How often each element of a warp is counted in a sum: what comes out if it is 1 and all others are 0.
fn weights(studio: &mut Studio, kernel: &'static Kernel) -> Result<Vec<i32>> {
    let (x, sum) = (studio.zeroed::<i32>("x", 32)?, studio.zeroed::<i32>("sums", 1)?);
    let launch = Launch::new(kernel, 1, LANES).arg(x).arg(sum);
    let one = |lane| {
        let mut values = vec![0; 32];
        values[lane] = 1;
        studio.write(x, &values)?;
        Ok(studio.trial(&launch, sum)?.1[0])
    };
    (0..32).map(one).collect()
}

/// What a lane does in a round, in order: reads of its own and of the other element, and the store.
fn accesses(trace: &[Traced], lane: u32, offset: u32) -> Vec<(usize, bool, u32)> {
    let mut current = 0;
    let mut found = Vec::new();
    for (step, at) in trace.iter().zip(0..) {
        if is(step, "add.s32")
            && let Some(literal) = literal(&step.ptx)
        {
            current = literal;
        }
        let takes_part = step.active >> lane & 1 == 1 && current == offset;
        if takes_part && is(step, "ld.shared") {
            // The first address register is the lane's own; the other was worked out for the round.
            let own = step.ptx.contains("[%rd1]");
            found.push((at, false, if own { lane } else { lane + offset }));
        } else if takes_part && is(step, "st.shared") {
            found.push((at, true, lane));
        }
    }
    found
}

fn tail_race(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    // The lane that is read and the one that reads it, in the second of five rounds.
    const ROUND: u32 = 8;
    const READER: u32 = 0;
    let values = integers(32);
    let exact: i32 = values.iter().sum();
    let mut told = Vec::new();
    for (panel, kernel) in [&WARP_TREE_UNGUARDED, &TAIL_OTHER_ORDER].into_iter().enumerate() {
        let left = 4.0 + 200.0 * panel as f64;
        let (x, sum) = (studio.upload("x", &values)?, studio.zeroed::<i32>("sums", 1)?);
        let launch = Launch::new(kernel, 1, LANES).arg(x).arg(sum);
        let (_, got) = studio.trial(&launch, sum)?;
        let trace = studio.trace(&launch)?;
        let counts = weights(studio, kernel)?;

        sheet.sized(left, 12.0, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        let columns = [left + 66.0, left + 128.0];
        let tracks = columns.map(|x| Track { x, top: 36.0, bottom: 168.0 });
        for (track, lane) in tracks.iter().zip([READER, READER + ROUND]) {
            track.draw(sheet, &format!("lane {lane}"));
        }
        let reader = accesses(&trace, READER, ROUND);
        let other = accesses(&trace, READER + ROUND, ROUND);
        let mut times: Vec<usize> = reader.iter().chain(&other).map(|&(at, ..)| at).collect();
        times.sort_unstable();
        times.dedup();
        let y = |at: usize| {
            let rank = times.iter().position(|&time| time == at).unwrap_or_default();
            52.0 + 110.0 * rank as f64 / (times.len() - 1) as f64
        };
        for (track, accesses) in tracks.iter().zip([&reader, &other]) {
            for &(at, is_store, element) in accesses {
                let shared = element == READER + ROUND;
                let (mark, fill) = match (is_store, shared) {
                    (true, true) => (Mark::Square, Fill::Bad),
                    (false, true) if track.x == columns[0] => (Mark::Disc, Fill::Bad),
                    (true, false) => (Mark::Square, Fill::Off),
                    _ => (Mark::Disc, Fill::Off),
                };
                let verb = if is_store { "writes" } else { "reads" };
                track.event(sheet, y(at), mark, fill, &format!("{verb} [{element}]"), track.x == columns[0]);
            }
        }
        let read = reader.iter().find(|&&(.., element)| element == READER + ROUND).context("nobody reads")?;
        let written = other.iter().find(|&&(_, is_store, _)| is_store).context("nobody writes")?;
        let ends = [(columns[0], y(read.0)), (columns[1], y(written.0))];
        let ends = if read.0 < written.0 { ends } else { [ends[1], ends[0]] };
        sheet.arrow(&shortened(ends, 7.0), Stroke::ArrowBad);
        let base = 232.0;
        sheet.left(left, 190.0, Tone::Dim, "element counted");
        let most = counts.iter().copied().max().unwrap_or(1);
        let strip = Strip::squares(left, 5.8);
        for (lane, &count) in (0..).zip(&counts) {
            let height = 5.0 * f64::from(count);
            let fill = if count == 1 { Fill::On } else { Fill::Bad };
            sheet.rect([strip.lane(lane), base - height, strip.width(), height], fill);
        }
        sheet.line(&[(strip.x, base + 1.0), (strip.end(), base + 1.0)], Stroke::Line);
        let times = if most == 1 { "once each".to_owned() } else { format!("up to {most} times") };
        sheet.right(strip.end(), 190.0, Tone::Text, &times);
        let is_right = got[0] == exact;
        let tone = if is_right { Tone::Text } else { Tone::Strong };
        let verdict = if is_right { "right" } else { "wrong" };
        sheet.left(left, base + 19.0, tone, &format!("sum {}: {verdict}", grouped(got[0] as u64)));
        told.push(format!("{kernel}: elements are counted {times}, sum {} of {}", got[0], exact));
    }
    let (run, line) = race_of(studio, &values)?;
    let fault = run.faults.first().context("no race was found")?;
    let actors: Vec<String> =
        fault.actors.iter().map(|actor| format!("lane {} {}", actor.lane, actor.doing)).collect();
    Ok(format!(
        "Time goes down. Lane {READER} reads element {} and lane {} writes it in the same round, and nothing orders the two. On \
         the left as the emulator runs it, on the right the other order, which barriers force. Below, how often each of \
         {LANES} elements is counted. {}. The race is reported at races.cu line {line}: {}.",
        READER + ROUND,
        READER + ROUND,
        told.join("; "),
        actors.join(", ")
    ))
}

fn race_of(studio: &mut Studio, values: &[i32]) -> Result<(Run, u32)> {
    let (x, sum) = (studio.upload("x", values)?, studio.zeroed::<i32>("sums", 1)?);
    let (run, _) = studio.trial(&Launch::new(&WARP_TREE_UNGUARDED, 1, LANES).arg(x).arg(sum), sum)?;
    let line =
        run.faults.first().and_then(|fault| fault.actors[0].site.source.as_ref()).context("no line")?.line;
    Ok((run, line))
}

fn masks(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let strip = Strip::squares(62.0, 10.5);
    strip.numbers(sheet, 12.0);
    let mut y = 24.0;
    let mut told = Vec::new();
    for kernel in [&MASK_DEFAULT, &MASK_SEVEN_F, &MASK_OUTSIDE] {
        let (x, out) = (studio.upload("x", &integers(32))?, studio.zeroed::<i32>("y", 32)?);
        let launch = Launch::new(kernel, 1, LANES).arg(x).arg(out);
        let (run, _) = studio.trial(&launch, out)?;
        let trace = studio.trace(&launch)?;
        let barrier =
            trace.iter().find(|step| is(step, "bar.warp.sync")).context("no barrier of the warp")?;
        let (named, come) = (literal(&barrier.ptx).context("a mask that is no literal")?, barrier.active);
        let verdict = run.faults.first().map_or("ok", |fault| fault.kind.name());

        sheet.sized(4.0, y + 10.0, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        sheet.sized(230.0, y + 10.0, Anchor::Middle, Tone::Mono, 12.5, &format!("{named:#010x}"));
        let tone = if verdict == "ok" { Tone::Text } else { Tone::Strong };
        sheet.right(396.0, y + 10.0, tone, verdict);
        y += 18.0;
        sheet.left(4.0, y + 9.0, Tone::Dim, "named");
        strip.mask(sheet, y, named, Fill::On);
        y += 15.0;
        sheet.left(4.0, y + 9.0, Tone::Dim, "come");
        let wrong = come & !named;
        strip.cells(sheet, y, |lane| {
            let is_in = |mask: u32| mask >> lane & 1 == 1;
            Some(if is_in(wrong) {
                Fill::Bad
            } else if is_in(come) {
                Fill::On
            } else {
                Fill::Off
            })
        });
        y += 26.0;
        told.push(format!(
            "{kernel}: the mask {named:#010x} names {} lanes, {} come, {verdict}",
            named.count_ones(),
            come.count_ones()
        ));
    }
    Ok(format!(
        "A column for each lane of one warp on the emulator; the upper strip is the mask in the PTX, the lower one who comes \
         to the barrier. {}.",
        told.join("; ")
    ))
}

/// Under how many seeds each kernel runs, as in the chapter.
const SEEDS: u64 = 20;

/// What one seed showed.
#[derive(Clone, Copy)]
struct Shown {
    race: bool,
    wrong: bool,
    wrong_if_weak: bool,
}

/// Runs a launch under each seed, the warps in random order, and once more in a weak memory.
fn seeds(studio: &mut Studio, launch: &Launch, result: Buffer<i32>, right: &[i32]) -> Result<Vec<Shown>> {
    let mut shown = Vec::new();
    for seed in 0..SEEDS {
        let mut launch = launch.clone().seed(seed);
        launch.simt.schedule = Schedule::Random;
        let (run, got) = studio.trial(&launch, result)?;
        launch.simt.weak_memory = true;
        let (_, weak) = studio.trial(&launch, result)?;
        let race = run.faults.iter().any(|fault| fault.kind.name() == "race");
        shown.push(Shown { race, wrong: got != right, wrong_if_weak: weak != right });
    }
    Ok(shown)
}

fn seeds_of(studio: &mut Studio, kernel: &'static Kernel) -> Result<Vec<Shown>> {
    match kernel.name {
        "tail_no_barrier" => {
            let (launch, sum, exact) = tail(studio, kernel, 128)?;
            seeds(studio, &launch, sum, &[exact])
        }
        "mask_outside" => {
            let values = integers(32);
            let (x, y) = (studio.upload("x", &values)?, studio.zeroed::<i32>("y", 32)?);
            let right: Vec<i32> = (0..32).map(|lane| values[lane ^ 16]).collect();
            seeds(studio, &Launch::new(kernel, 1, LANES).arg(x).arg(y), y, &right)
        }
        name => {
            let block = if name.starts_with("warp") { 32 } else { 256 };
            let blocks = if block == 32 { 1 } else { 2 };
            let values = integers((blocks * block) as usize);
            let (x, sums) = (studio.upload("x", &values)?, studio.zeroed::<i32>("sums", blocks as usize)?);
            let launch = Launch::new(kernel, blocks, block).arg(x).arg(sums);
            let launch = if block == 32 { launch } else { launch.arg(values.len() as i32) };
            let right: Vec<i32> = values.chunks(block as usize).map(|part| part.iter().sum()).collect();
            seeds(studio, &launch, sums, &right)
        }
    }
}

fn race_seeds(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let kernels = [&TREE_BARRIER, &TREE_NO_BARRIER, &TAIL_NO_BARRIER, &MASK_OUTSIDE, &WARP_TREE_UNGUARDED];
    let (first, pitch) = (134.0, 11.6);
    sheet.right(first - 8.0, 12.0, Tone::Dim, "seed");
    for seed in [0, 5, 10, 15, 19] {
        let x = first + pitch * (f64::from(seed) + 0.5);
        sheet.sized(x, 12.0, Anchor::Middle, Tone::Dim, 12.0, &seed.to_string());
    }
    let mut y = 30.0;
    let mut told = Vec::new();
    for kernel in kernels {
        let shown = seeds_of(studio, kernel)?;
        sheet.sized(4.0, y, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        let mut counts = Vec::new();
        let rows: [(&str, fn(&Shown) -> bool); 3] = [
            ("race reported", |shown| shown.race),
            ("wrong", |shown| shown.wrong),
            ("wrong if weak", |shown| shown.wrong_if_weak),
        ];
        for (row, (name, is_so)) in (0..).zip(rows) {
            let top = y + 8.0 + 15.0 * f64::from(row);
            sheet.right(first - 8.0, top + 9.0, Tone::Dim, name);
            let count = shown.iter().filter(|shown| is_so(shown)).count();
            for (seed, shown) in (0..).zip(&shown) {
                let centre = (first + pitch * (f64::from(seed) + 0.5), top + 5.0);
                match (is_so(shown), row) {
                    (false, _) => sheet.mark(centre, 1.6, Mark::Square, Fill::Off),
                    (true, 0) => sheet.mark(centre, 4.6, Mark::Square, Fill::On),
                    (true, _) => sheet.mark(centre, 4.6, Mark::Cross, Fill::Bad),
                }
            }
            sheet.right(396.0, top + 9.0, Tone::Text, &count.to_string());
            counts.push(format!("{name} {count}"));
        }
        told.push(format!("{kernel}: {}", counts.join(", ")));
        y += 72.0;
    }
    Ok(format!(
        "A column for each of {SEEDS} seeds on the emulator, warps in random order. For each kernel three rows: whether a race \
         is reported, whether the result is wrong, and whether it is wrong in a memory that may return older stores. {}.",
        told.join("; ")
    ))
}

/// The block whose tile is shown.
const TILE: u32 = 128;

fn tile_race(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let mut told = Vec::new();
    for (panel, kernel) in [&TILE_NO_BARRIER, &TILE_BARRIER].into_iter().enumerate() {
        let left = 4.0 + 200.0 * panel as f64;
        let (wrong, stale) = tile(studio, sheet, kernel, left)?;
        told.push(format!(
            "{kernel}: {stale} of 4 loads come before the store, {wrong} of {TILE} elements are wrong"
        ));
    }
    let marks = [
        (Mark::Square, Fill::On, "stores"),
        (Mark::Disc, Fill::Good, "loads"),
        (Mark::Cross, Fill::Bad, "loads too early"),
    ];
    legend(sheet, 4.0, sheet.bottom() + 20.0, &marks);
    Ok(format!(
        "Time goes down, a column for each of 4 warps of one block of {TILE} threads on the emulator, seed 0, random order. A \
         square is the store into the tile, a disc the load from it; an arrow goes from the store to the load of what was \
         stored. {}.",
        told.join("; ")
    ))
}

/// Draws the stores and the loads of the warps of a block. Returns how many elements came out wrong, and how many loads
/// came before the store that they wait for.
fn tile(
    studio: &mut Studio,
    sheet: &mut Sheet,
    kernel: &'static Kernel,
    left: f64,
) -> Result<(usize, usize)> {
    let values = integers(TILE as usize);
    let (x, y) = (studio.upload("x", &values)?, studio.zeroed::<i32>("y", TILE as usize)?);
    let mut launch = Launch::new(kernel, 1, TILE).arg(x).arg(y);
    launch.simt.schedule = Schedule::Random;
    let (_, got) = studio.trial(&launch, y)?;
    let trace = studio.trace(&launch)?;
    let wrong = got.iter().zip(values.iter().rev()).filter(|(got, right)| got != right).count();
    let events: Vec<&Traced> = trace
        .iter()
        .filter(|step| ["st.shared", "bar.sync", "ld.shared"].iter().any(|op| is(step, op)))
        .collect();

    sheet.sized(left, 12.0, Anchor::Start, Tone::Mono, 12.5, kernel.name);
    let (first, pitch, top) = (left + 24.0, 38.0, 58.0);
    let centre = |warp: u32| first + pitch * f64::from(warp);
    let bottom = top + 18.0 * 8.0 + 14.0;
    for warp in 0..4 {
        let track = Track { x: centre(warp), top: 42.0, bottom };
        track.draw(sheet, &if warp == 0 { "warp 0".to_owned() } else { warp.to_string() });
    }
    let (mut at, mut stored, mut stale) = (top, [None; 4], 0);
    let mut is_waiting = false;
    for step in &events {
        let warp = step.warp as usize;
        if is(step, "bar.sync") {
            is_waiting = true;
        } else if is(step, "st.shared") {
            sheet.mark((centre(step.warp), at), 4.5, Mark::Square, Fill::On);
            stored[warp] = Some(at);
            at += 18.0;
        } else {
            if std::mem::take(&mut is_waiting) {
                sheet.line(&[(left + 8.0, at - 2.0), (centre(3) + 10.0, at - 2.0)], Stroke::Line);
                sheet.left(centre(3) + 13.0, at + 2.0, Tone::Dim, "barrier");
                at += 14.0;
            }
            let from = 3 - warp;
            let here = (centre(step.warp), at);
            if let Some(then) = stored[from] {
                sheet.arrow(&shortened([(centre(3 - step.warp), then), here], 7.0), Stroke::Arrow);
            } else {
                stale += 1;
            }
            let is_late = stored[from].is_some();
            let (mark, fill) = if is_late { (Mark::Disc, Fill::Good) } else { (Mark::Cross, Fill::Bad) };
            sheet.mark(here, 5.0, mark, fill);
            at += 18.0;
        }
    }
    let tone = if wrong == 0 { Tone::Text } else { Tone::Strong };
    sheet.left(left, bottom + 20.0, tone, &format!("{wrong} of {TILE} wrong"));
    Ok((wrong, stale))
}
