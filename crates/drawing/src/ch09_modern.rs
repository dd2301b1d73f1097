//! Figures of chapter 9: the modern vocabulary.
//!
//! Each timeline shows one seed, which the description names. Sums of a warp are left out, because only a clock would
//! show a difference.

use anyhow::{Context, Result, ensure};
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::modern_barriers::HAND_ON;
use thirty_two_lanes::kernels::modern_messages::{
    REF_IN_BLOCK, REF_IN_BLOCK_RELAXED, REF_MESSAGE, REF_MESSAGE_ACQUIRE, REF_MESSAGE_BLOCK_SCOPE,
    REF_MESSAGE_FENCES, REF_MESSAGE_RELAXED, REF_MESSAGE_RELEASE,
};
use thirty_two_lanes::kernels::modern_warps::PICK_ELECT;
use thirty_two_lanes::report::layout::counted;
use thirty_two_lanes::{Launch, Random, Schedule, Traced};

use crate::chart::{Bar, Bars};
use crate::timeline::{is, legend};
use crate::warp::{LANES, Strip};
use crate::{Anchor, Figure, Fill, Mark, Sheet, Sources, Stroke, Tone};

pub const FIGURES: &[Figure] = &[
    Figure {
        name: "orders_weak",
        title: "Orders and scopes in a weak memory under forty seeds",
        draw: orders,
    },
    Figure { name: "waiting_requests", title: "What waiting threads ask of memory", draw: waiting },
    Figure { name: "barrier_arrivals", title: "Four warps arrive at a barrier and wait", draw: arrivals },
    Figure {
        name: "leaders",
        title: "The lanes above each level, and the one that acts for them",
        draw: leaders,
    },
];

const CHAPTER: &str = "ch09_modern";
const SEEDS: u64 = 40;
/// The value of the messages.
const MESSAGE: i32 = 42;

fn orders(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let cases: [(&'static Kernel, u32, u32); 8] = [
        (&REF_MESSAGE_RELAXED, 2, 32),
        (&REF_MESSAGE_RELEASE, 2, 32),
        (&REF_MESSAGE_ACQUIRE, 2, 32),
        (&REF_MESSAGE, 2, 32),
        (&REF_MESSAGE_FENCES, 2, 32),
        (&REF_MESSAGE_BLOCK_SCOPE, 2, 32),
        (&REF_IN_BLOCK_RELAXED, 1, 64),
        (&REF_IN_BLOCK, 1, 64),
    ];
    let (mut y, mut described) = (12.0, Vec::new());
    for (kernel, grid, block) in cases {
        let wrong = seeds(sources, sheet, Launch::new(kernel, grid, block), y)?;
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

/// A mark for each seed below `y`; returns how many seeds read something other than the message.
fn seeds(sources: &mut Sources, sheet: &mut Sheet, launch: Launch, y: f64) -> Result<u32> {
    let (data, flag) = (sources.zeroed::<i32>("data", 1)?, sources.zeroed::<i32>("flag", 1)?);
    let got = sources.zeroed::<i32>("got", 2)?;
    let mut launch = launch.arg(data).arg(flag).arg(got).arg(10_000_000_i32);
    (launch.simt.schedule, launch.simt.weak_memory) = (Schedule::Random, true);
    let mut wrong = 0;
    for seed in 0..SEEDS {
        let (_, read) = sources.trial(&launch.clone().seed(seed), got)?;
        let centre = (8.5 + 9.8 * seed as f64, y + 11.0);
        if read[0] == MESSAGE {
            sheet.mark(centre, 3.2, Mark::Disc, Fill::Good);
        } else {
            sheet.mark(centre, 4.2, Mark::Cross, Fill::Bad);
            wrong += 1;
        }
    }
    Ok(wrong)
}

fn waiting(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let record = sources.emulated(CHAPTER, 0)?;
    let kernels =
        [("wait_spin", "try again"), ("wait_look", "look first"), ("wait_doubling", "sleep longer")];
    let counters =
        [("global_atomic_requests", "atomics", Fill::A), ("global_load_requests", "loads", Fill::B)];
    let mut most = 0.0_f64;
    for (kernel, _) in kernels {
        for (counter, ..) in counters {
            let row = format!("{kernel}-many");
            most = most.max(record.counter(&row, counter)? / record.fact(&row, "updates")?);
        }
    }
    let (mut y, mut described) = (12.0, Vec::new());
    for (counter, what, fill) in counters {
        sheet.left(4.0, y, Tone::Dim, &format!("{what} for each time that the lock is taken"));
        let mut bars = Vec::new();
        for (kernel, name) in kernels {
            let row = format!("{kernel}-many");
            let value = record.counter(&row, counter)? / record.fact(&row, "updates")?;
            let label = format!("{value:.1}");
            described.push(format!("{row}: {label} {what}"));
            bars.push(Bar { name: name.to_owned(), value, label, fill });
        }
        let bars_from = y + 11.0;
        let bars_at = Bars { x: 110.0, width: 220.0, most, pitch: 21.0, tone: Tone::Text };
        y = bars_at.draw(sheet, bars_from, &bars) + 32.0;
    }
    let updates = record.fact("wait_spin-many", "updates")?;
    Ok(format!(
        "Requests to global memory, divided by the {updates} times that a lock is taken, on the emulator. One load in each is that of \
         the counter under the lock. {}.",
        described.join("; ")
    ))
}

fn arrivals(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const WARPS: u32 = 4;
    const SEED: u64 = 2;
    let threads = (WARPS * LANES) as usize;
    let (x, y) = (sources.upload("x", &vec![7_u32; threads])?, sources.zeroed::<u32>("y", threads)?);
    let mut launch = Launch::new(&HAND_ON, 1, WARPS * LANES).arg(x).arg(y).seed(SEED);
    launch.simt.schedule = Schedule::Random;
    let (_, read) = sources.trial(&launch, y)?;
    ensure!(read.iter().all(|&value| value == 7), "a value was read too early");
    let trace = sources.trace(&launch)?;
    let events: Vec<(&Traced, Event)> = trace.iter().filter_map(|step| Some((step, event(step)?))).collect();

    let (left, width, pitch, top) = (62.0, 330.0, 30.0, 14.0);
    let at = |nth: usize| left + width * nth as f64 / events.len() as f64;
    let row = |warp: u32| top + pitch * f64::from(warp);
    for warp in 0..WARPS {
        sheet.left(4.0, row(warp) + 4.3, Tone::Text, &format!("warp {warp}"));
        sheet.line(&[(left, row(warp)), (left + width, row(warp))], Stroke::Grid);
    }
    let last = events.iter().rposition(|(_, event)| *event == Event::Arrives).context("no warp arrives")?;
    let bottom = row(WARPS - 1) + 10.0;
    sheet.line(&[(at(last), top - 8.0), (at(last), bottom)], Stroke::Line);
    for (nth, (step, event)) in events.iter().enumerate() {
        let (radius, mark, fill) = event.look();
        sheet.mark((at(nth), row(step.warp)), radius, mark, fill);
    }
    let marks = [Event::Stores, Event::Arrives, Event::Asks, Event::Reads];
    let words = ["stores", "arrives", "asks", "reads"];
    let looks: Vec<_> =
        marks.iter().zip(words).map(|(event, word)| (event.look().1, event.look().2, word)).collect();
    legend(sheet, 4.0, bottom + 20.0, &looks);
    let asked = events.iter().filter(|(_, event)| *event == Event::Asks).count();
    let early = events[..=last].iter().filter(|(_, event)| *event == Event::Reads).count();
    ensure!(early == 0, "{early} warps read before the last one arrived");
    Ok(format!(
        "A row for each of {WARPS} warps of a block, time runs to the right, kernel hand_on built for sm_80 on the emulator, seed {SEED}, random \
         order. Each warp stores its values, arrives and asks whether all have arrived, {} in all. The line is where warp {} \
         arrives last. No warp reads before it.",
        counted(asked as u64, "time"),
        events[last].0.warp,
    ))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    Stores,
    Arrives,
    Asks,
    Reads,
}

impl Event {
    fn look(self) -> (f64, Mark, Fill) {
        match self {
            Event::Stores => (4.0, Mark::Square, Fill::A),
            Event::Arrives => (4.5, Mark::Triangle, Fill::B),
            Event::Asks => (1.8, Mark::Disc, Fill::Off),
            Event::Reads => (4.5, Mark::Diamond, Fill::C),
        }
    }
}

fn event(step: &Traced) -> Option<Event> {
    let events = [
        ("st.shared.u32", Event::Stores),
        ("mbarrier.arrive", Event::Arrives),
        ("mbarrier.test_wait", Event::Asks),
        ("ld.shared.u32", Event::Reads),
    ];
    events.into_iter().find(|(name, _)| is(step, name)).map(|(_, event)| event)
}

fn leaders(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const LEVELS: i32 = 8;
    let values: Vec<i32> =
        Random::new(3).words(LANES as usize).into_iter().map(|word| (word % 9) as i32).collect();
    let (x, sums) = (sources.upload("x", &values)?, sources.zeroed::<i32>("sums", 1)?);
    let trace = sources.trace(&Launch::new(&PICK_ELECT, 1, LANES).arg(x).arg(sums).arg(LEVELS))?;
    let chosen: Vec<&Traced> = trace.iter().filter(|step| is(step, "elect")).collect();
    let acting: Vec<&Traced> = trace.iter().filter(|step| is(step, "atom.") || is(step, "red.")).collect();
    ensure!(chosen.len() == acting.len(), "{} are chosen, {} act", chosen.len(), acting.len());

    let strip = Strip::squares(62.0, 10.5);
    strip.numbers(sheet, 12.0);
    let mut described = Vec::new();
    for (level, (among, acts)) in chosen.iter().zip(&acting).enumerate() {
        let y = 20.0 + 15.0 * level as f64;
        sheet.sized(54.0, y + 8.5, Anchor::End, Tone::Dim, 12.0, &format!("level {level}"));
        for lane in 0..LANES {
            let is_in = |mask: u32| mask >> lane & 1 == 1;
            let (radius, mark, fill) = match (is_in(acts.active), is_in(among.active)) {
                (true, _) => (4.2, Mark::Square, Fill::B),
                (false, true) => (3.4, Mark::Disc, Fill::A),
                (false, false) => (1.2, Mark::Disc, Fill::Off),
            };
            sheet.mark((strip.centre(lane), y + 4.2), radius, mark, fill);
        }
        described.push(format!(
            "level {level}: lane {} of {}",
            acts.active.trailing_zeros(),
            among.active.count_ones()
        ));
    }
    let base = 20.0 + 15.0 * chosen.len() as f64 + 16.0;
    legend(
        sheet,
        4.0,
        base,
        &[(Mark::Square, Fill::B, "acts for all"), (Mark::Disc, Fill::A, "is above the level")],
    );
    Ok(format!(
        "A row for each level, a column for each lane of one warp, kernel pick_elect on the emulator, with random numbers. Acting lane and \
         number of lanes that are above the level: {}.",
        described.join("; ")
    ))
}
