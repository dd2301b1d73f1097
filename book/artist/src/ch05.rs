//! The figures of chapter 5: lost updates, locks, messages, and loops of compare-and-swap.
//!
//! Timelines are of one seed, which the description names. It leaves out what doubles do to a loop of compare-and-swap.

use anyhow::{Context, Result, ensure};
use lanes::kernel::Kernel;
use lanes::kernels::atomics::ADD_DOUBLE_BITS;
use lanes::kernels::locks::{
    MESSAGE_IN_BLOCK, MESSAGE_IN_BLOCK_NONE, MESSAGE_NO_FLAG, ROUNDS_ACQUIRE_RELEASE, ROUNDS_EXCHANGE,
    ROUNDS_FENCES, ROUNDS_NO_FENCE, ROUNDS_NOTE, ROUNDS_TICKET, ROUNDS_TICKET_NO_FENCE,
};
use lanes::kernels::messages::{
    LAST_BLOCK_FENCE, MESSAGE_BLOCK_FENCE, MESSAGE_FENCES, MESSAGE_NO_FENCE, MESSAGE_ONE_FENCE,
};
use lanes::kernels::races::COUNT_PLAIN;
use lanes::report::layout::{counted, grouped};
use lanes::{Buffer, Launch, Random, Schedule, Traced};

use crate::chart::{Bar, Bars};
use crate::timeline::{Track, is, legend};
use crate::warp::{LANES, Strip};
use crate::{Anchor, Figure, Fill, Mark, Sheet, Stroke, Studio, Tone};

pub const FIGURES: &[Figure] = &[
    Figure { name: "lost_update", title: "Two warps add one each, and one is left", draw: lost_update },
    Figure {
        name: "contention",
        title: "Additions to one counter, to 32, and to one each on an H200",
        draw: contention,
    },
    Figure { name: "lock_handover", title: "Who has the lock when", draw: lock_handover },
    Figure { name: "locks_lost", title: "Updates lost by each lock", draw: locks_lost },
    Figure { name: "message_overtakes", title: "A flag that overtakes its data", draw: message_overtakes },
    Figure {
        name: "messages_weak",
        title: "Messages in a weak memory under forty seeds",
        draw: messages_weak,
    },
    Figure { name: "last_block", title: "The block that draws the last ticket adds up", draw: last_block },
    Figure { name: "cas_loop", title: "A loop of compare-and-swap, turn by turn", draw: cas_loop },
];

const CHAPTER: &str = "ch05_locks";

/// Seeds that are tried for a timeline.
const SEEDS: u64 = 40;

/// A row of a timeline: how far down one event is from the next.
const STEP: f64 = 36.0;

/// Something goes from one track to another; what it is stands above the line, and where it is done below.
struct Pass<'a> {
    from: f64,
    to: f64,
    /// The middle of its words.
    words: f64,
    what: &'a str,
    line: Option<u32>,
    is_bad: bool,
}

impl Pass<'_> {
    fn draw(&self, sheet: &mut Sheet, y: f64) {
        let side = if self.to > self.from { 3.0 } else { -3.0 };
        let stroke = if self.is_bad { Stroke::ArrowBad } else { Stroke::Arrow };
        sheet.arrow(&[(self.from + side, y), (self.to - side, y)], stroke);
        let tone = if self.is_bad { Tone::Strong } else { Tone::Text };
        sheet.middle(self.words, y - 5.0, tone, self.what);
        if let Some(line) = self.line {
            sheet.sized(self.words, y + 13.0, Anchor::Middle, Tone::Dim, 12.0, &format!("line {line}"));
        }
    }
}

fn lost_update(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let count = studio.zeroed::<i32>("count", 1)?;
    let plain = Launch::new(&COUNT_PLAIN, 1, 2 * LANES).arg(count);
    let mut chosen = None;
    for seed in 0..SEEDS {
        let mut launch = plain.clone().seed(seed);
        launch.simt.schedule = Schedule::Hunt;
        let (_, left) = studio.trial(&launch, count)?;
        if left[0] == 1 {
            chosen = Some((seed, launch));
            break;
        }
    }
    let (seed, launch) = chosen.context("no seed loses an update")?;
    let trace = studio.trace(&launch)?;
    let events: Vec<&Traced> =
        trace.iter().filter(|step| is(step, "ld.global") || is(step, "st.global")).collect();

    let bottom = 52.0 + STEP * events.len() as f64;
    let track = |x: f64| Track { x, top: 34.0, bottom };
    let (warps, memory) = ([track(56.0), track(344.0)], track(200.0));
    for (warp, track) in warps.iter().enumerate() {
        track.draw(sheet, &format!("warp {warp}"));
    }
    memory.draw(sheet, "count");
    // The lanes of a warp load together, so each warp has one value.
    let (mut value, mut loaded) = (0, [0; 2]);
    let mut since = 42.0;
    let mut bars = Vec::new();
    for (step, row) in events.iter().zip(1..) {
        let y = 34.0 + STEP * f64::from(row);
        let (warp, of_warp) = (step.warp as usize, warps[step.warp as usize].x);
        if is(step, "ld.global") {
            loaded[warp] = value;
            let (from, what) = (memory.x, format!("reads {value}"));
            let words = f64::midpoint(from, of_warp);
            Pass { from, to: of_warp, words, what: &what, line: None, is_bad: false }.draw(sheet, y);
        } else {
            bars.push((since, y - 4.0, value));
            let next = loaded[warp] + 1;
            let is_lost = next == value;
            let (to, what) = (memory.x, format!("writes {next}"));
            let words = f64::midpoint(of_warp, to);
            Pass { from: of_warp, to, words, what: &what, line: None, is_bad: is_lost }.draw(sheet, y);
            (value, since) = (next, y + 4.0);
        }
    }
    bars.push((since, bottom, value));
    let fills = [Fill::Off, Fill::A, Fill::B];
    for (from, to, value) in bars {
        sheet.rect([memory.x - 3.0, from, 6.0, to - from], fills[value.clamp(0, 2) as usize]);
        sheet.left(memory.x + 7.0, from + 11.0, Tone::Strong, &value.to_string());
    }
    let (_, left) = studio.trial(&launch, count)?;
    ensure!(left[0] == value, "the run leaves {} and not {value}", left[0]);
    let line = events[0].line.unwrap_or_default();
    let source = COUNT_PLAIN.file.source.lines().nth(line as usize - 1).unwrap_or_default();
    let source = source.split("//").next().unwrap_or_default().trim();
    sheet.sized(
        200.0,
        bottom + 22.0,
        Anchor::Middle,
        Tone::Mono,
        12.5,
        &format!("races.cu:{line}  {source}"),
    );
    let told: Vec<String> = events
        .iter()
        .map(|step| format!("warp {} {}", step.warp, if is(step, "ld.global") { "reads" } else { "writes" }))
        .collect();
    Ok(format!(
        "Time goes down, kernel count_plain with two warps on the emulator, seed {seed}. Between them the counter in memory. In \
         order: {}. Both add one to 0, and {} is left instead of 2 from two warps, which are {} threads.",
        told.join(", "),
        left[0],
        2 * LANES
    ))
}

fn contention(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let record = studio.record(CHAPTER, "h200.json")?;
    let mut y = 12.0;
    let mut told = Vec::new();
    for (memory, fill) in [("global", Fill::A), ("shared", Fill::B)] {
        sheet.left(4.0, y, Tone::Dim, &format!("counters in {memory} memory"));
        let mut bars = Vec::new();
        for (slots, name) in [("one", "one for all"), ("32", "32 counters"), ("own", "one for each")] {
            let value = record.time_us(&format!("tally_{memory}-{slots}"))?;
            bars.push(Bar { name: name.to_owned(), value, label: format!("{value:.1} µs"), fill });
        }
        let most = record.time_us("tally_global-one")?;
        let shape = Bars { x: 100.0, width: 230.0, most, pitch: 21.0, tone: Tone::Text };
        y = shape.draw(sheet, y + 11.0, &bars) + 32.0;
        let times: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.name, bar.label)).collect();
        told.push(format!("{memory} memory: {}", times.join(", ")));
    }
    let (size, block) = (record.setting("size")?, record.setting("block")?);
    Ok(format!(
        "How long {} atomic additions take on an NVIDIA H200, in blocks of {block} threads. {}.",
        grouped(size as u64),
        told.join("; ")
    ))
}

/// A lock, a counter, and how many gave up.
fn rounds(
    studio: &mut Studio,
    kernel: &'static Kernel,
    (blocks, rounds): (u32, i32),
) -> Result<(Launch, Buffer<i32>)> {
    let (lock, count) = (studio.zeroed::<i32>("lock", 2)?, studio.zeroed::<i32>("count", 1)?);
    let gave_up = studio.zeroed::<i32>("gave_up", 1)?;
    let launch = Launch::new(kernel, blocks, LANES).arg(lock).arg(count).arg(gave_up);
    let mut launch = launch.arg(rounds).arg(10_000_000_i32);
    launch.simt.schedule = Schedule::Random;
    Ok((launch, count))
}

/// From when to when a block had the lock.
struct Turn {
    block: u32,
    from: usize,
    to: usize,
}

/// The turns of all blocks in order, and when each block asked in vain.
fn turns(trace: &[Traced]) -> (Vec<Turn>, Vec<(u32, usize)>) {
    let mut asked: Vec<(u32, usize)> = Vec::new();
    let (mut turns, mut holder) = (Vec::new(), None);
    for (step, at) in trace.iter().zip(0..) {
        if is(step, "atom.global.cas") {
            asked.push((step.block.x, at));
        } else if is(step, "membar") && holder.is_none_or(|(block, _)| block != step.block.x) {
            // Who gets as far as the first fence was given the lock when it last asked.
            let last = asked.iter().rposition(|&(block, _)| block == step.block.x);
            holder = last.map(|last| asked.remove(last));
        } else if is(step, "atom.global.exch")
            && let Some((block, from)) = holder.take()
        {
            turns.push(Turn { block, from, to: at });
        }
    }
    (turns, asked)
}

fn lock_handover(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    const BLOCKS: u32 = 4;
    const ROUNDS: i32 = 3;
    const SEED: u64 = 0;
    let (launch, count) = rounds(studio, &ROUNDS_FENCES, (BLOCKS, ROUNDS))?;
    let launch = launch.seed(SEED);
    let (_, counted_up) = studio.trial(&launch, count)?;
    let trace = studio.trace(&launch)?;
    let (turns, asked) = turns(&trace);
    ensure!(turns.len() as i32 == counted_up[0], "{} turns, and the count is {}", turns.len(), counted_up[0]);

    let (left, width, pitch, top) = (62.0, 326.0, 40.0, 34.0);
    let begin = asked.iter().map(|&(_, at)| at).chain(turns.iter().map(|turn| turn.from)).min().unwrap_or(0);
    let end = turns.last().map_or(1, |turn| turn.to);
    let x = |at: usize| left + width * (at - begin) as f64 / (end - begin) as f64;
    let y = |block: u32| top + pitch * f64::from(block);
    for block in 0..BLOCKS {
        sheet.left(4.0, y(block) + 4.3, Tone::Text, &format!("block {block}"));
        sheet.line(&[(left, y(block)), (left + width, y(block))], Stroke::Grid);
    }
    for &(block, at) in &asked {
        sheet.mark((x(at), y(block)), 2.0, Mark::Disc, Fill::Off);
    }
    for pair in turns.windows(2) {
        let (one, next) = (&pair[0], &pair[1]);
        if one.block != next.block {
            let side = if next.block > one.block { 1.0 } else { -1.0 };
            let (from, to) =
                ((x(one.to), y(one.block) + 7.0 * side), (x(next.from), y(next.block) - 7.0 * side));
            sheet.line(&[from, to], Stroke::Line);
        }
    }
    let mut last: Option<(u32, f64)> = None;
    for (turn, number) in turns.iter().zip(1_u32..) {
        let (from, to) = (x(turn.from), x(turn.to));
        sheet.rect([from, y(turn.block) - 6.0, (to - from).max(3.0), 12.0], Fill::On);
        let middle = f64::midpoint(from, to);
        // Two turns in short order have their numbers above and below.
        let is_near = last.is_some_and(|(block, above)| block == turn.block && middle - above < 19.0);
        let base = y(turn.block) + if is_near { 18.5 } else { -10.0 };
        sheet.middle(middle, base, Tone::Strong, &number.to_string());
        if !is_near {
            last = Some((turn.block, middle));
        }
    }
    let bottom = y(BLOCKS - 1) + 20.0;
    sheet.arrow(&[(left, bottom), (left + width, bottom)], Stroke::Line);
    sheet.right(left + width, bottom + 16.0, Tone::Dim, &counted((end - begin) as u64, "instruction"));
    legend(
        sheet,
        4.0,
        bottom + 36.0,
        &[(Mark::Square, Fill::On, "has the lock, and its count"), (Mark::Disc, Fill::Off, "asks in vain")],
    );
    let order: Vec<String> = turns.iter().map(|turn| turn.block.to_string()).collect();
    Ok(format!(
        "A row for each of {BLOCKS} blocks, time goes to the right, kernel rounds_fences with {ROUNDS} rounds on the emulator, seed \
         {SEED}, random order. The lock goes to blocks {}. {} times a block asks in vain. The count ends at {} of {}.",
        order.join(", "),
        asked.len(),
        counted_up[0],
        BLOCKS as i32 * ROUNDS
    ))
}

/// The updates that a lock loses in a weak memory, in the worst of some seeds.
fn lost_if_weak(studio: &mut Studio, kernel: &'static Kernel, shape: (u32, i32), seeds: u64) -> Result<i32> {
    let (mut launch, count) = rounds(studio, kernel, shape)?;
    launch.simt.weak_memory = true;
    let mut worst = 0;
    for seed in 0..seeds {
        let (_, counted) = studio.trial(&launch.clone().seed(seed), count)?;
        worst = worst.max(shape.0 as i32 * shape.1 - counted[0]);
    }
    Ok(worst)
}

fn locks_lost(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    // As the chapter runs them in a weak memory.
    const SHAPE: (u32, i32) = (8, 5);
    const TRIED: u64 = 10;
    const WIDTH: f64 = 58.0;
    let kernels = [
        &ROUNDS_NO_FENCE,
        &ROUNDS_EXCHANGE,
        &ROUNDS_TICKET_NO_FENCE,
        &ROUNDS_NOTE,
        &ROUNDS_FENCES,
        &ROUNDS_ACQUIRE_RELEASE,
        &ROUNDS_TICKET,
    ];
    let record = studio.record(CHAPTER, "h200.json")?;
    let updates = record.fact(kernels[0].name, "updates")?;
    let all = [updates, f64::from(SHAPE.0) * f64::from(SHAPE.1)];
    let columns = [180.0, 298.0];
    for ((x, head), of) in columns.iter().zip(["H200", "weak memory"]).zip(all) {
        sheet.left(*x, 12.0, Tone::Text, head);
        sheet.left(*x, 28.0, Tone::Dim, &format!("of {}", grouped(of as u64)));
    }
    let mut y = 49.0;
    let mut told = Vec::new();
    for kernel in kernels {
        sheet.sized(170.0, y + 4.3, Anchor::End, Tone::Mono, 12.0, kernel.name);
        let lost = record.fact(kernel.name, "gpu_lost")?;
        let weak = f64::from(lost_if_weak(studio, kernel, SHAPE, TRIED)?);
        for (x, (lost, of)) in columns.iter().zip([lost, weak].into_iter().zip(all)) {
            if lost > 0.0 {
                let length = (WIDTH * lost / of).max(1.0);
                sheet.rect([*x, y - 6.0, length, 12.0], Fill::Bad);
                sheet.left(x + length + 5.0, y + 4.3, Tone::Text, &grouped(lost as u64));
            } else {
                sheet.mark((x + 7.0, y), 4.5, Mark::Disc, Fill::Good);
                sheet.left(x + 17.0, y + 4.3, Tone::Text, "0");
            }
        }
        told.push(format!("{kernel} {} and {}", grouped(lost as u64), grouped(weak as u64)));
        y += 22.0;
    }
    for x in columns {
        sheet.line(&[(x, 37.0), (x, y - 12.0)], Stroke::Line);
    }
    Ok(format!(
        "Updates that each lock loses: on an NVIDIA H200 of {}, and in the emulator's weak memory of {}, {} blocks with {} rounds, \
         in the worst of {TRIED} seeds. {}.",
        grouped(updates as u64),
        grouped(all[1] as u64),
        SHAPE.0,
        SHAPE.1,
        told.join(", ")
    ))
}

/// A message with its buffers, in a weak memory.
fn message(studio: &mut Studio, kernel: &'static Kernel, shape: (u32, u32)) -> Result<(Launch, Buffer<i32>)> {
    let (data, flag) = (studio.zeroed::<i32>("data", 1)?, studio.zeroed::<i32>("flag", 1)?);
    let got = studio.zeroed::<i32>("got", 2)?;
    let launch = Launch::new(kernel, shape.0, shape.1).arg(data).arg(flag).arg(got);
    let mut launch = launch.arg(10_000_000_i32);
    (launch.simt.schedule, launch.simt.weak_memory) = (Schedule::Random, true);
    Ok((launch, got))
}

/// The number that `0x2a` in a message of the emulator stands for.
fn hexadecimal(text: &str, before: &str) -> Result<i32> {
    let digits = text.split(before).nth(1).and_then(|rest| rest.split([',', ':', ' ']).next());
    let number = digits.and_then(|digits| i32::from_str_radix(digits, 16).ok());
    number.with_context(|| format!("no number in `{text}`"))
}

fn message_overtakes(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let (plain, got) = message(studio, &MESSAGE_NO_FENCE, (2, LANES))?;
    let mut chosen = None;
    for seed in 0..SEEDS {
        let launch = plain.clone().seed(seed);
        let (run, read) = studio.trial(&launch, got)?;
        if let (Some(stale), 1) = (run.stale_reads.first(), read[1])
            && run.stale_reads.len() == 1
            && stale.message.contains("`data`")
        {
            chosen = Some((seed, launch, stale.clone(), read[0]));
            break;
        }
    }
    let (seed, launch, stale, read) = chosen.context("no seed reads old data")?;
    let stored = hexadecimal(&stale.message, "hold 0x")?;
    let trace = studio.trace(&launch)?;
    let events: Vec<&Traced> = trace
        .iter()
        .filter(|step| {
            ["ld.volatile.global", "ld.global", "st.volatile.global", "st.global"]
                .iter()
                .any(|op| is(step, op))
        })
        .filter(|step| !(step.block.x == 1 && is(step, "st.")))
        .collect();
    let asked = events.iter().filter(|step| is(step, "ld.volatile")).count();

    let mut rows: Vec<(&Traced, usize)> = Vec::new();
    for step in &events {
        match rows.last_mut() {
            Some((last, times)) if last.ptx == step.ptx && last.block == step.block => *times += 1,
            _ => rows.push((step, 1)),
        }
    }
    // The last look at the flag is the one that sees it, and it is a row of its own.
    let last_look = rows.iter().rposition(|(step, _)| is(step, "ld.volatile")).context("nobody looks")?;
    if rows[last_look].1 > 1 {
        let (step, times) = rows[last_look];
        rows[last_look].1 = times - 1;
        rows.insert(last_look + 1, (step, 1));
    }
    let last_look = rows.iter().rposition(|(step, _)| is(step, "ld.volatile")).unwrap_or_default();

    let bottom = 42.0 + STEP * rows.len() as f64 + 2.0;
    let track = |x: f64| Track { x, top: 22.0, bottom };
    let [writer, data, flag, reader] = [30.0, 143.0, 257.0, 370.0].map(track);
    for (track, name) in [(writer, "block 0"), (data, "data"), (flag, "flag"), (reader, "block 1")] {
        track.draw(sheet, name);
    }
    let (mut data_since, mut flag_since) = (None, None);
    let mut told = Vec::new();
    // Words stand beside the actor, where no other track goes through them.
    let (beside_writer, beside_reader) = (f64::midpoint(writer.x, data.x), f64::midpoint(flag.x, reader.x));
    for (index, &(step, times)) in rows.iter().enumerate() {
        let y = 22.0 + STEP * (index as f64 + 1.0);
        let line = step.line.context("a step without a line")?;
        let is_store = step.block.x == 0;
        let (from, to, what, is_bad) = if is(step, "st.volatile") {
            flag_since = Some(y);
            (writer, flag, "writes 1".to_owned(), false)
        } else if is(step, "st.global") {
            data_since = Some(y);
            (writer, data, format!("writes {stored}"), false)
        } else if is(step, "ld.volatile") {
            let value = i32::from(index == last_look);
            let often =
                if times > 1 { format!("reads {value}, {times} ×") } else { format!("reads {value}") };
            (flag, reader, often, false)
        } else {
            (data, reader, format!("reads {read} (old)"), true)
        };
        let words = if is_store { beside_writer } else { beside_reader };
        Pass { from: from.x, to: to.x, words, what: &what, line: Some(line), is_bad }.draw(sheet, y);
        let place = if from.x == data.x || to.x == data.x { "data" } else { "flag" };
        told.push(format!("block {} {what} at {place} in line {line}", step.block.x));
    }
    for (track, since, value) in [(data, data_since, stored), (flag, flag_since, 1)] {
        let since = since.context("nobody wrote")?;
        sheet.rect([track.x - 3.0, 26.0, 6.0, since - 30.0], Fill::Off);
        sheet.rect([track.x - 3.0, since + 3.0, 6.0, bottom - since - 3.0], Fill::A);
        sheet.middle(track.x, bottom + 15.0, Tone::Strong, &value.to_string());
    }
    sheet.left(4.0, bottom + 15.0, Tone::Dim, "at the end");
    Ok(format!(
        "Time goes down, kernel message_no_fence in the emulator's weak memory, seed {seed}: two blocks, and between them data and \
         flag. {}. Nothing orders the store of {stored} before the last read. Block 1 looks at the flag {asked} times.",
        told.join(", ")
    ))
}

fn messages_weak(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let cases: [(&'static Kernel, (u32, u32)); 7] = [
        (&MESSAGE_NO_FENCE, (2, 32)),
        (&MESSAGE_ONE_FENCE, (2, 32)),
        (&MESSAGE_FENCES, (2, 32)),
        (&MESSAGE_BLOCK_FENCE, (2, 32)),
        (&MESSAGE_NO_FLAG, (2, 32)),
        (&MESSAGE_IN_BLOCK_NONE, (1, 64)),
        (&MESSAGE_IN_BLOCK, (1, 64)),
    ];
    let pitch = 9.8;
    let mut y = 12.0;
    let mut told = Vec::new();
    for (kernel, shape) in cases {
        let (launch, got) = message(studio, kernel, shape)?;
        let mut wrong = 0;
        for seed in 0..SEEDS {
            let (_, read) = studio.trial(&launch.clone().seed(seed), got)?;
            let centre = (8.5 + pitch * seed as f64, y + 11.0);
            if read[0] == 42 {
                sheet.mark(centre, 3.2, Mark::Disc, Fill::Good);
            } else {
                sheet.mark(centre, 4.2, Mark::Cross, Fill::Bad);
                wrong += 1;
            }
        }
        sheet.sized(4.0, y, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        let tone = if wrong == 0 { Tone::Text } else { Tone::Strong };
        sheet.right(396.0, y, tone, &format!("{wrong} of {SEEDS} wrong"));
        told.push(format!("{kernel} {wrong}"));
        y += 38.0;
    }
    Ok(format!(
        "A mark for each of {SEEDS} seeds in the emulator's weak memory: a disc if the message was read, a cross if old data was \
         read. Wrong: {}.",
        told.join(", ")
    ))
}

fn last_block(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    const BLOCKS: u32 = 16;
    const SEED: u64 = 1;
    let sums = studio.zeroed::<i32>("sums", BLOCKS as usize)?;
    let (tickets, total) = (studio.zeroed::<u32>("tickets", 1)?, studio.zeroed::<i32>("total", 1)?);
    let mut launch =
        Launch::new(&LAST_BLOCK_FENCE, BLOCKS, LANES).arg(sums).arg(tickets).arg(total).seed(SEED);
    launch.simt.schedule = Schedule::Random;
    let (_, sum) = studio.trial(&launch, total)?;
    let trace = studio.trace(&launch)?;
    let place = |name: &str| -> Vec<(u32, usize)> {
        let steps = trace.iter().zip(0..).filter(|(step, _)| is(step, name));
        steps.map(|(step, at)| (step.block.x, at)).collect()
    };
    let (tickets, loads) = (place("atom.global"), place("ld.global"));
    let mut stores = place("st.global");
    let last = tickets.last().context("nobody draws a ticket")?.0;
    ensure!(loads.iter().all(|&(block, _)| block == last), "another block than {last} adds up");
    stores.pop().context("nobody stores the total")?;

    let (left, width, pitch, top) = (76.0, 312.0, 17.0, 12.0);
    let mut events: Vec<usize> =
        [&stores, &tickets, &loads].into_iter().flatten().map(|&(_, at)| at).collect();
    events.sort_unstable();
    let x =
        |at: usize| left + width * events.partition_point(|&event| event < at) as f64 / events.len() as f64;
    let y = |block: u32| top + pitch * f64::from(block);
    for block in 0..BLOCKS {
        let tone = if block == last { Tone::Strong } else { Tone::Text };
        sheet.sized(4.0, y(block) + 4.3, Anchor::Start, tone, 12.0, &format!("block {block}"));
        sheet.line(&[(left, y(block)), (left + width, y(block))], Stroke::Grid);
    }
    for &(block, at) in &stores {
        sheet.mark((x(at), y(block)), 4.0, Mark::Square, Fill::A);
    }
    for (&(block, at), number) in tickets.iter().zip(0_u32..) {
        sheet.mark((x(at), y(block)), 4.0, Mark::Triangle, Fill::B);
        if block == last {
            let store = stores.iter().find(|&&(of, _)| of == block).map_or(at, |&(_, at)| at);
            sheet.sized(x(store) - 8.0, y(block) + 4.3, Anchor::End, Tone::Strong, 12.0, &number.to_string());
        } else {
            sheet.sized(x(at) + 8.0, y(block) + 4.3, Anchor::Start, Tone::Text, 12.0, &number.to_string());
        }
    }
    for &(block, at) in &loads {
        sheet.mark((x(at), y(block)), 2.7, Mark::Disc, Fill::C);
    }
    let bottom = y(BLOCKS - 1) + 26.0;
    let marks = [
        (Mark::Square, Fill::A, "stores its sum"),
        (Mark::Triangle, Fill::B, "draws a ticket"),
        (Mark::Disc, Fill::C, "reads a sum"),
    ];
    legend(sheet, 4.0, bottom, &marks);
    Ok(format!(
        "A row for each of {BLOCKS} blocks, time goes to the right, a place for each access, kernel last_block_fence on the emulator, seed {SEED}, random \
         order. Each block stores its sum and draws a ticket. Block {last} draws the last one, {}, reads {} and comes to \
         {}.",
        tickets.len() - 1,
        counted(loads.len() as u64, "sum"),
        sum[0]
    ))
}

fn cas_loop(studio: &mut Studio, sheet: &mut Sheet) -> Result<String> {
    let values: Vec<f64> = Random::new(0).floats(32, 0.5, 1.5).into_iter().map(f64::from).collect();
    let (sum, x) = (studio.zeroed::<f64>("sum", 1)?, studio.upload("x", &values)?);
    let gave_up = studio.zeroed::<i32>("gave_up", 1)?;
    let launch = Launch::new(&ADD_DOUBLE_BITS, 1, LANES).arg(sum).arg(x).arg(gave_up);
    let trace = studio.trace(&launch.arg(32_i32).arg(1_000_000_i32))?;
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
    let (once, vain) = (counted(succeeded.into(), "exchange"), grouped(u64::from(all - succeeded)));
    legend(
        sheet,
        4.0,
        base,
        &[(Mark::Square, Fill::On, "exchanges and is done"), (Mark::Disc, Fill::Off, "tries in vain")],
    );
    sheet.left(4.0, base + 18.0, Tone::Text, &format!("{once}, {vain} tries in vain"));
    Ok(format!(
        "A row for each turn of the loop of add_double_bits, a column for each lane of one warp on the emulator. In {} turns {once} \
         succeed, at least one a turn, and {vain} tries are in vain.",
        tries.len()
    ))
}
