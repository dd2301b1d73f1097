//! The figures of chapter 5: lost updates, locks, messages, and loops with compare-and-swap.
//!
//! Each timeline shows one seed, which the description names. A NaN in such a loop is left out.

mod doubles;
mod locks;
mod messages;

use anyhow::{Context, Result, ensure};
use thirty_two_lanes::kernels::atomics::ADD_DOUBLE_BITS;
use thirty_two_lanes::kernels::races::COUNT_PLAIN;
use thirty_two_lanes::report::layout::{counted, grouped};
use thirty_two_lanes::{Launch, Random, Schedule, Traced};

use crate::chart::{Bar, Bars};
use crate::timeline::{Pass, STEP, Track, is, legend};
use crate::warp::{LANES, Strip};
use crate::{Anchor, Figure, Fill, Mark, Sheet, Sources, Tone};

pub const FIGURES: &[Figure] = &[
    Figure {
        name: "lost_update",
        title: "Two warps add one each, and the counter ends at one",
        draw: lost_update,
    },
    Figure {
        name: "contention",
        title: "Additions to one counter, to 32, and to one each on an H200",
        draw: contention,
    },
    Figure { name: "lock_handover", title: "Which block has the lock when", draw: locks::lock_handover },
    Figure { name: "locks_lost", title: "Updates lost by each lock", draw: locks::locks_lost },
    Figure {
        name: "message_overtakes",
        title: "A flag that overtakes its data",
        draw: messages::message_overtakes,
    },
    Figure {
        name: "messages_weak",
        title: "Messages in a weak memory under forty seeds",
        draw: messages::messages_weak,
    },
    Figure {
        name: "last_block",
        title: "The block that draws the last ticket adds up",
        draw: messages::last_block,
    },
    Figure { name: "cas_loop", title: "A loop of compare-and-swap, turn by turn", draw: cas_loop },
    Figure {
        name: "minus_zero",
        title: "Additions to minus zero, with bits and with doubles compared",
        draw: doubles::minus_zero,
    },
];

const CHAPTER: &str = "ch05_locks";

/// How many seeds are tried for a timeline.
const SEEDS: u64 = 40;

fn lost_update(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let count = sources.zeroed::<i32>("count", 1)?;
    let plain = Launch::new(&COUNT_PLAIN, 1, 2 * LANES).arg(count);
    let mut chosen = None;
    for seed in 0..SEEDS {
        let mut launch = plain.clone().seed(seed);
        launch.simt.schedule = Schedule::Hunt;
        let (_, left) = sources.trial(&launch, count)?;
        if left[0] == 1 {
            chosen = Some((seed, launch));
            break;
        }
    }
    let (seed, launch) = chosen.context("no seed loses an update")?;
    let (_, left) = sources.trial(&launch, count)?;
    let trace = sources.trace(&launch)?;
    let is_access = |step: &&Traced| is(step, "ld.global") || is(step, "st.global");
    let events: Vec<&Traced> = trace.iter().filter(is_access).collect();
    let (value, described) = reads_and_writes(sheet, &events);
    ensure!(left[0] == value, "the run leaves {} and not {value}", left[0]);

    let line = events[0].line.context("an access without a line")?;
    let source = COUNT_PLAIN.file.source.lines().nth(line as usize - 1).unwrap_or_default();
    let source = format!("races.cu:{line}  {}", source.split("//").next().unwrap_or_default().trim());
    sheet.sized(200.0, sheet.bottom() + 20.0, Anchor::Middle, Tone::Mono, 12.5, &source);
    Ok(format!(
        "Time runs downwards, kernel count_plain with two warps on the emulator, seed {seed}. Between them the counter in memory. In \
         order: {}. Both add one to 0, and {} is left instead of 2 from two warps, which are {} threads.",
        described.join(", "),
        left[0],
        2 * LANES
    ))
}

/// Draws what two warps read from a counter and write to it. Returns its final value, and a description in words.
fn reads_and_writes(sheet: &mut Sheet, events: &[&Traced]) -> (i32, Vec<String>) {
    let bottom = 52.0 + STEP * events.len() as f64;
    let track = |x: f64| Track { x, top: 18.0, bottom };
    let (warps, memory) = ([track(56.0), track(344.0)], track(200.0));
    for (warp, track) in warps.iter().enumerate() {
        track.draw(sheet, &format!("warp {warp}"));
    }
    memory.draw(sheet, "count");
    // The lanes of a warp load together, so each warp has one value.
    let (mut value, mut loaded) = (0, [0; 2]);
    let (mut bars, mut described) = (vec![(24.0, value)], Vec::new());
    for (step, row) in events.iter().zip(1..) {
        let y = 24.0 + STEP * f64::from(row);
        let (warp, of_warp) = (step.warp as usize, warps[step.warp as usize].x);
        let words = f64::midpoint(memory.x, of_warp);
        let (from, to, what, is_bad) = if is(step, "ld.global") {
            loaded[warp] = value;
            (memory.x, of_warp, format!("reads {value}"), false)
        } else {
            let next = loaded[warp] + 1;
            let is_lost = next == value;
            value = next;
            bars.push((y, value));
            (of_warp, memory.x, format!("writes {next}"), is_lost)
        };
        Pass { from, to, words, what: &what, line: None, is_bad }.draw(sheet, y);
        described.push(format!("warp {warp} {what}"));
    }
    let ends = bars.iter().skip(1).map(|&(from, _)| from - 4.0).chain([bottom]);
    for (&(from, value), to) in bars.iter().zip(ends) {
        let fill = if value == 0 { Fill::Off } else { Fill::A };
        sheet.rect([memory.x - 3.0, from + 4.0, 6.0, to - from - 4.0], fill);
        sheet.left(memory.x + 7.0, from + 15.0, Tone::Strong, &value.to_string());
    }
    (value, described)
}

fn contention(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let records = [sources.measured(CHAPTER, 0)?, sources.measured(CHAPTER, 1)?];
    let columns = [100.0, 254.0];
    let sizes = records.iter().map(|record| record.setting("size")).collect::<Result<Vec<_>>>()?;
    for (x, size) in columns.iter().zip(&sizes) {
        sheet.left(*x, 12.0, Tone::Text, &format!("{} additions", grouped(*size as u64)));
    }
    let mut y = 36.0;
    let mut described = Vec::new();
    for (memory, fill) in [("global", Fill::A), ("shared", Fill::B)] {
        sheet.left(4.0, y, Tone::Dim, &format!("{memory} memory"));
        let mut end = y;
        for ((&x, record), size) in columns.iter().zip(&records).zip(&sizes) {
            let most = record.time_us("tally_global-one")?;
            let mut bars = Vec::new();
            for (slots, name) in [("one", "one for all"), ("32", "32 counters"), ("own", "one for each")] {
                let value = record.time_us(&format!("tally_{memory}-{slots}"))?;
                let us = if value < 1000.0 { format!("{value:.1}") } else { grouped(value.round() as u64) };
                let label = format!("{us} µs");
                described
                    .push(format!("{memory} memory, {name}, {} additions: {label}", grouped(*size as u64)));
                // The second column does not repeat the names of the first.
                let name = if x < 200.0 { name } else { "" };
                bars.push(Bar { name: name.to_owned(), value, label, fill });
            }
            end = Bars { x, width: 72.0, most, pitch: 21.0, tone: Tone::Text }.draw(sheet, y + 11.0, &bars);
        }
        y = end + 32.0;
    }
    let block = records[0].setting("block")?;
    Ok(format!(
        "How long atomic additions to counters take on an NVIDIA H200, in blocks of {block} threads. {}.",
        described.join("; ")
    ))
}

fn cas_loop(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let values: Vec<f64> = Random::new(0).floats(32, 0.5, 1.5).into_iter().map(f64::from).collect();
    let (sum, x) = (sources.zeroed::<f64>("sum", 1)?, sources.upload("x", &values)?);
    let gave_up = sources.zeroed::<i32>("gave_up", 1)?;
    let launch = Launch::new(&ADD_DOUBLE_BITS, 1, LANES).arg(sum).arg(x).arg(gave_up);
    let trace = sources.trace(&launch.arg(32_i32).arg(1_000_000_i32))?;
    let tries: Vec<u32> =
        trace.iter().filter(|step| is(step, "atom.global.cas")).map(|step| step.active).collect();

    let strip = Strip::squares(62.0, 10.5);
    strip.numbers(sheet, 12.0);
    let pitch = 9.0;
    let mut succeeded = 0;
    for (turn, &mask) in tries.iter().enumerate() {
        let y = 20.0 + pitch * turn as f64;
        let next = tries.get(turn + 1).copied().unwrap_or(0);
        let done = mask & !next;
        succeeded += done.count_ones();
        if turn == 0 || (turn + 1) % 8 == 0 {
            sheet.sized(54.0, y + 7.5, Anchor::End, Tone::Dim, 12.0, &format!("turn {}", turn + 1));
        }
        for lane in (0..LANES).filter(|lane| mask >> lane & 1 == 1) {
            if done >> lane & 1 == 1 {
                sheet.mark((strip.centre(lane), y + 3.7), 3.9, Mark::Square, Fill::On);
            } else {
                sheet.mark((strip.centre(lane), y + 3.7), 1.7, Mark::Disc, Fill::Off);
            }
        }
    }
    let all: u32 = tries.iter().map(|mask| mask.count_ones()).sum();
    let base = 20.0 + pitch * tries.len() as f64 + 18.0;
    let (once, failed) = (counted(succeeded.into(), "exchange"), grouped(u64::from(all - succeeded)));
    legend(
        sheet,
        4.0,
        base,
        &[(Mark::Square, Fill::On, "succeeds and is done"), (Mark::Disc, Fill::Off, "tries and fails")],
    );
    sheet.left(4.0, base + 18.0, Tone::Text, &format!("{once}, {failed} tries that fail"));
    Ok(format!(
        "A row for each turn of the loop of add_double_bits, a column for each lane of one warp on the emulator. In {} turns {once} \
         succeed, at least one a turn, and {failed} tries fail.",
        tries.len()
    ))
}
