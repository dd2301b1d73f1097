//! The figures of chapter 5 about locks: when each block has the lock, and which locks lose updates.
//!
//! Locks for which lanes of one warp compete are left out, because chapter 3 draws them.

use anyhow::{Result, ensure};
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::locks::{
    ROUNDS_ACQUIRE_RELEASE, ROUNDS_EXCHANGE, ROUNDS_FENCES, ROUNDS_NO_FENCE, ROUNDS_NOTE, ROUNDS_TICKET,
    ROUNDS_TICKET_NO_FENCE,
};
use thirty_two_lanes::report::layout::{counted, grouped};
use thirty_two_lanes::{Buffer, Launch, Schedule, Traced};

use super::CHAPTER;
use crate::timeline::{is, legend};
use crate::warp::LANES;
use crate::{Anchor, Fill, Mark, Sheet, Sources, Stroke, Tone};

/// The buffers for a lock, a counter, and the number of threads that gave up.
fn rounds(
    sources: &mut Sources,
    kernel: &'static Kernel,
    blocks: u32,
    rounds: i32,
) -> Result<(Launch, Buffer<i32>)> {
    let (lock, count) = (sources.zeroed::<i32>("lock", 2)?, sources.zeroed::<i32>("count", 1)?);
    let gave_up = sources.zeroed::<i32>("gave_up", 1)?;
    let launch = Launch::new(kernel, blocks, LANES).arg(lock).arg(count).arg(gave_up);
    let mut launch = launch.arg(rounds).arg(10_000_000_i32);
    launch.simt.schedule = Schedule::Random;
    Ok((launch, count))
}

/// The time during which a block had the lock.
struct Turn {
    block: u32,
    from: usize,
    to: usize,
}

/// The turns of all blocks in order, and when each block tried and failed.
fn turns(trace: &[Traced]) -> (Vec<Turn>, Vec<(u32, usize)>) {
    let mut asked: Vec<(u32, usize)> = Vec::new();
    let (mut turns, mut holder) = (Vec::new(), None);
    for (step, at) in trace.iter().zip(0..) {
        if is(step, "atom.global.cas") {
            asked.push((step.block.x, at));
        } else if is(step, "membar") && holder.is_none_or(|(block, _)| block != step.block.x) {
            // A block that reaches the first fence got the lock with its last attempt.
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

pub fn lock_handover(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const BLOCKS: u32 = 4;
    const ROUNDS: i32 = 3;
    const SEED: u64 = 0;
    let (launch, count) = rounds(sources, &ROUNDS_FENCES, BLOCKS, ROUNDS)?;
    let launch = launch.seed(SEED);
    let (_, counted_up) = sources.trial(&launch, count)?;
    let trace = sources.trace(&launch)?;
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
        // If two turns follow closely, their numbers are above and below the line.
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
        &[
            (Mark::Square, Fill::On, "has the lock, and its count"),
            (Mark::Disc, Fill::Off, "tries and fails"),
        ],
    );
    let order: Vec<String> = turns.iter().map(|turn| turn.block.to_string()).collect();
    Ok(format!(
        "A row for each of {BLOCKS} blocks, time runs to the right, kernel rounds_fences with {ROUNDS} rounds on the emulator, seed \
         {SEED}, random order. The lock goes to blocks {}. {} times a block tries and fails. The count ends at {} of {}.",
        order.join(", "),
        asked.len(),
        counted_up[0],
        BLOCKS as i32 * ROUNDS
    ))
}

/// How many updates a lock loses with the weak memory, at most, over some seeds.
fn lost_if_weak(
    sources: &mut Sources,
    kernel: &'static Kernel,
    shape: (u32, i32),
    seeds: u64,
) -> Result<i32> {
    let (mut launch, count) = rounds(sources, kernel, shape.0, shape.1)?;
    launch.simt.weak_memory = true;
    let mut worst = 0;
    for seed in 0..seeds {
        let (_, counted) = sources.trial(&launch.clone().seed(seed), count)?;
        worst = worst.max(shape.0 as i32 * shape.1 - counted[0]);
    }
    Ok(worst)
}

pub fn locks_lost(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    // The shape with which the chapter runs them in the weak memory.
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
    let record = sources.measured(CHAPTER, 0)?;
    let updates = record.fact(kernels[0].name, "updates")?;
    let all = [updates, f64::from(SHAPE.0) * f64::from(SHAPE.1)];
    let columns = [180.0, 298.0];
    for ((x, head), of) in columns.iter().zip(["H200", "weak memory"]).zip(all) {
        sheet.left(*x, 12.0, Tone::Text, head);
        sheet.left(*x, 28.0, Tone::Dim, &format!("of {}", grouped(of as u64)));
    }
    let mut y = 49.0;
    let mut described = Vec::new();
    for kernel in kernels {
        sheet.sized(170.0, y + 4.3, Anchor::End, Tone::Mono, 12.0, kernel.name);
        let lost = record.fact(kernel.name, "gpu_lost")?;
        let weak = f64::from(lost_if_weak(sources, kernel, SHAPE, TRIED)?);
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
        described.push(format!("{kernel} {} and {}", grouped(lost as u64), grouped(weak as u64)));
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
        described.join(", ")
    ))
}
