//! The figures of chapter 5 about messages: a flag that overtakes its data, forty seeds, and the last block.
//!
//! Messages with correct fences are left out, because nothing happens in them.

use anyhow::{Context, Result, ensure};
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::locks::{MESSAGE_IN_BLOCK, MESSAGE_IN_BLOCK_NONE, MESSAGE_NO_FLAG};
use thirty_two_lanes::kernels::messages::{
    LAST_BLOCK_FENCE, MESSAGE_BLOCK_FENCE, MESSAGE_FENCES, MESSAGE_NO_FENCE, MESSAGE_ONE_FENCE,
};
use thirty_two_lanes::report::layout::counted;
use thirty_two_lanes::{Buffer, Launch, Schedule, Traced};

use super::SEEDS;
use crate::timeline::{Pass, STEP, Track, is, legend};
use crate::warp::LANES;
use crate::{Anchor, Fill, Mark, Sheet, Sources, Stroke, Tone};

/// The value of the messages.
const MESSAGE: i32 = 42;

/// A message and its buffers, in the weak memory.
fn message(
    sources: &mut Sources,
    kernel: &'static Kernel,
    shape: (u32, u32),
) -> Result<(Launch, Buffer<i32>)> {
    let (data, flag) = (sources.zeroed::<i32>("data", 1)?, sources.zeroed::<i32>("flag", 1)?);
    let got = sources.zeroed::<i32>("got", 2)?;
    let launch = Launch::new(kernel, shape.0, shape.1).arg(data).arg(flag).arg(got);
    let mut launch = launch.arg(10_000_000_i32);
    (launch.simt.schedule, launch.simt.weak_memory) = (Schedule::Random, true);
    Ok((launch, got))
}

pub fn message_overtakes(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let (plain, got) = message(sources, &MESSAGE_NO_FENCE, (2, LANES))?;
    let mut chosen = None;
    for seed in 0..SEEDS {
        let launch = plain.clone().seed(seed);
        let (run, read) = sources.trial(&launch, got)?;
        if let ([stale], 1) = (&run.stale_reads[..], read[1])
            && stale.location.allocation.as_ref().is_some_and(|allocation| allocation.name == "data")
        {
            let newest = stale.newest.context("the newest value is not known")?;
            chosen = Some((seed, launch, newest as i32, read[0]));
            break;
        }
    }
    let (seed, launch, stored, read) = chosen.context("no seed reads old data")?;
    let trace = sources.trace(&launch)?;
    let looks = looks(&trace)?;

    let bottom = 44.0 + STEP * looks.len() as f64;
    let track = |x: f64| Track { x, top: 22.0, bottom };
    let [writer, data, flag, reader] = [30.0, 143.0, 257.0, 370.0].map(track);
    for (track, name) in [(writer, "block 0"), (data, "data"), (flag, "flag"), (reader, "block 1")] {
        track.draw(sheet, name);
    }
    let mut described = Vec::new();
    for (&Look { step, times, sees }, row) in looks.iter().zip(1..) {
        let y = 22.0 + STEP * f64::from(row);
        let line = step.line.context("a step without a line")?;
        let (is_store, is_flag) = (is(step, "st."), step.ptx.contains("volatile"));
        let place = if is_flag { flag } else { data };
        let what = match (is_store, is_flag) {
            (true, _) => format!("writes {}", if is_flag { 1 } else { stored }),
            (false, true) if times > 1 => format!("reads {sees}, {times} ×"),
            (false, true) => format!("reads {sees}"),
            (false, false) => format!("reads {read} (old)"),
        };
        // The words are beside the actor, where no other track crosses them.
        let (from, to, words) = if is_store {
            let after = if is_flag { 1 } else { stored };
            changes(sheet, place, y, after);
            (writer.x, place.x, f64::midpoint(writer.x, data.x))
        } else {
            (place.x, reader.x, f64::midpoint(flag.x, reader.x))
        };
        let is_bad = !is_store && !is_flag;
        Pass { from, to, words, what: &what, line: Some(line), is_bad }.draw(sheet, y);
        let place = if is_flag { "flag" } else { "data" };
        described.push(format!("block {} {what} at {place} in line {line}", step.block.x));
    }
    sheet.left(4.0, bottom + 15.0, Tone::Dim, "at the end");
    Ok(format!(
        "Time runs downwards, kernel message_no_fence in the emulator's weak memory, seed {seed}: two blocks, and between them data and \
         flag. {}. Nothing orders the store of {stored} before the last read.",
        described.join(", ")
    ))
}

/// An access to the data or the flag, or several consecutive loads of the flag.
struct Look<'a> {
    step: &'a Traced,
    times: usize,
    /// The value that the last load of the flag returns. Only the last load can see the flag raised, because that ends
    /// the loop.
    sees: i32,
}

fn looks(trace: &[Traced]) -> Result<Vec<Look<'_>>> {
    let is_access = |step: &&Traced| {
        let reads = is(step, "ld.volatile.global") || is(step, "ld.global");
        // The reader stores the value that it has found.
        reads || step.block.x == 0 && (is(step, "st.volatile.global") || is(step, "st.global"))
    };
    let accesses: Vec<&Traced> = trace.iter().filter(is_access).collect();
    let last = accesses.iter().rposition(|step| is(step, "ld.volatile")).context("no step reads the flag")?;
    let mut looks: Vec<Look> = Vec::new();
    for (at, step) in accesses.into_iter().enumerate() {
        match looks.last_mut() {
            Some(look) if at != last && is(step, "ld.volatile") && is(look.step, "ld.volatile") => {
                look.times += 1;
            }
            _ => looks.push(Look { step, times: 1, sees: i32::from(at == last) }),
        }
    }
    Ok(looks)
}

/// A place in memory has another value from here to the end.
fn changes(sheet: &mut Sheet, place: Track, y: f64, after: i32) {
    sheet.rect([place.x - 3.0, place.top + 4.0, 6.0, y - place.top - 8.0], Fill::Off);
    sheet.rect([place.x - 3.0, y + 4.0, 6.0, place.bottom - y - 4.0], Fill::A);
    sheet.middle(place.x, place.bottom + 15.0, Tone::Strong, &after.to_string());
}

pub fn messages_weak(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
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
    let mut described = Vec::new();
    for (kernel, shape) in cases {
        let (launch, got) = message(sources, kernel, shape)?;
        let mut wrong = 0;
        for seed in 0..SEEDS {
            let (_, read) = sources.trial(&launch.clone().seed(seed), got)?;
            let centre = (8.5 + pitch * seed as f64, y + 11.0);
            if read[0] == MESSAGE {
                sheet.mark(centre, 3.2, Mark::Disc, Fill::Good);
            } else {
                sheet.mark(centre, 4.2, Mark::Cross, Fill::Bad);
                wrong += 1;
            }
        }
        sheet.sized(4.0, y, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        let tone = if wrong == 0 { Tone::Text } else { Tone::Strong };
        sheet.right(396.0, y, tone, &format!("{wrong} of {SEEDS} wrong"));
        described.push(format!("{kernel} {wrong}"));
        y += 38.0;
    }
    Ok(format!(
        "A mark for each of {SEEDS} seeds in the emulator's weak memory: a disc if the message was read, a cross if old data was \
         read. Wrong: {}.",
        described.join(", ")
    ))
}

pub fn last_block(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const BLOCKS: u32 = 16;
    const SEED: u64 = 1;
    let sums = sources.zeroed::<i32>("sums", BLOCKS as usize)?;
    let (tickets, total) = (sources.zeroed::<u32>("tickets", 1)?, sources.zeroed::<i32>("total", 1)?);
    let mut launch =
        Launch::new(&LAST_BLOCK_FENCE, BLOCKS, LANES).arg(sums).arg(tickets).arg(total).seed(SEED);
    launch.simt.schedule = Schedule::Random;
    let (_, sum) = sources.trial(&launch, total)?;
    let trace = sources.trace(&launch)?;
    let place = |name: &str| -> Vec<(u32, usize)> {
        let steps = trace.iter().zip(0..).filter(|(step, _)| is(step, name));
        steps.map(|(step, at)| (step.block.x, at)).collect()
    };
    let (tickets, loads) = (place("atom.global"), place("ld.global"));
    let mut stores = place("st.global");
    let last = tickets.last().context("no block draws a ticket")?.0;
    ensure!(loads.iter().all(|&(block, _)| block == last), "another block than {last} adds up");
    stores.pop().context("no block stores the total")?;

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
        "A row for each of {BLOCKS} blocks, time runs to the right, with a mark for each access, kernel last_block_fence on the emulator, seed {SEED}, random \
         order. Each block stores its sum and draws a ticket. Block {last} draws the last one, {}, reads {} and gets {}.",
        tickets.len() - 1,
        counted(loads.len() as u64, "sum"),
        sum[0]
    ))
}
