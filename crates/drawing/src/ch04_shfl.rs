//! The figures of chapter 4: votes, shuffles, lanes and their numbers, and sums that are made with them.
//!
//! Left out is what the pictures of the report show: widths that are not a power of two, and groups.

mod groups;
mod sums;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::block_sums::{LANES_DOWN, LANES_XOR};
use thirty_two_lanes::kernels::shuffles::{
    LANE_MODULO, LANE_OF_RANK, MATCH_WARP, SHUFFLE_DOWN, SHUFFLE_IDX, SHUFFLE_UP, SHUFFLE_XOR, VOTE_WARP,
};
use thirty_two_lanes::{Launch, Random};

use crate::timeline::legend;
use crate::warp::{LANES, Strip};
use crate::{Anchor, Figure, Fill, Mark, Sheet, Sources, Stroke, Tone};

pub const FIGURES: &[Figure] = &[
    Figure { name: "votes", title: "What a warp gets from ballot and from match", draw: votes },
    Figure { name: "shuffle_idx", title: "A shuffle by index, in every width", draw: shuffle_idx },
    Figure { name: "shuffle_up", title: "A shuffle up, in every width", draw: shuffle_up },
    Figure { name: "shuffle_down", title: "A shuffle down, in every width", draw: shuffle_down },
    Figure { name: "shuffle_xor", title: "A shuffle by xor, with five masks", draw: shuffle_xor },
    Figure {
        name: "down_against_xor",
        title: "Which elements each lane's result contains",
        draw: down_against_xor,
    },
    Figure { name: "lane_ids", title: "Lane numbers in a block of 8 by 8 threads", draw: lane_ids },
    Figure {
        name: "two_pass_reads",
        title: "What the first load of a warp reads",
        draw: sums::two_pass_reads,
    },
    Figure { name: "atomics_count", title: "Which lanes of a block do an atomic", draw: sums::atomics_count },
    Figure {
        name: "wide_loads",
        title: "Requests and sectors of narrow and of wide loads",
        draw: sums::wide_loads,
    },
    Figure {
        name: "precision",
        title: "How far off a sum is, by the order of its additions",
        draw: sums::precision,
    },
    Figure { name: "sum_time", title: "How long sums take on an H200", draw: sums::sum_time },
    Figure {
        name: "shuffle_order",
        title: "A store, a shuffle and a load in two lanes",
        draw: groups::shuffle_order,
    },
    Figure { name: "tiles", title: "A warp in tiles, and the sums of the tiles", draw: groups::tiles },
    Figure {
        name: "doubled",
        title: "How often each element is in a sum of two passes",
        draw: groups::doubled,
    },
];

/// The place of strips that have a label on the left.
const STRIP: Strip = Strip::squares(62.0, 10.5);

/// A row of strips, with its label.
fn labelled(sheet: &mut Sheet, y: f64, label: &str) {
    sheet.left(4.0, y + 9.0, Tone::Text, label);
}

/// Three warps of small numbers, as in the chapter: from 0 to 3, then from 1 to 4, then all 0.
fn small_numbers() -> Vec<i32> {
    let words = Random::new(0).words(96);
    (0..96).map(|i| [(words[i] % 4) as i32, 1 + (words[i] % 4) as i32, 0][i / 32]).collect()
}

fn votes(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let values = small_numbers();
    let (x, y) = (sources.upload("x", &values)?, sources.zeroed::<u32>("y", 3 * 96)?);
    let (_, voted) = sources.trial(&Launch::new(&VOTE_WARP, 1, 96).arg(x).arg(y), y)?;
    let (_, matched) = sources.trial(&Launch::new(&MATCH_WARP, 1, 96).arg(x).arg(y), y)?;

    STRIP.numbers(sheet, 12.0);
    let mut row = 20.0;
    labelled(sheet, row, "x");
    for (lane, value) in (0..LANES).zip(&values) {
        sheet.sized(STRIP.centre(lane), row + 9.0, Anchor::Middle, Tone::Text, 12.0, &value.to_string());
    }
    row += 19.0;
    labelled(sheet, row, "x > 0");
    STRIP.mask(sheet, row, voted[0], Fill::On);
    row += 23.0;
    let mut masks: Vec<u32> = matched.iter().step_by(3).take(32).copied().collect();
    masks.sort_unstable_by_key(|mask| values[mask.trailing_zeros() as usize]);
    masks.dedup();
    for (mask, fill) in masks.iter().zip([Fill::A, Fill::B, Fill::C, Fill::D]) {
        labelled(sheet, row, &format!("x = {}", values[mask.trailing_zeros() as usize]));
        STRIP.mask(sheet, row, *mask, fill);
        row += 15.0;
    }
    row += 22.0;
    let columns = [110.0, 175.0, 245.0, 330.0];
    let heads = ["all", "any", "match_all"];
    for (x, head) in columns[1..].iter().zip(heads) {
        sheet.middle(*x, row, Tone::Dim, head);
    }
    let mut described = Vec::new();
    for (warp, first) in (0..).zip((0..3 * 96).step_by(96)) {
        row += 17.0;
        sheet.right(columns[0], row, Tone::Text, &format!("warp {warp}"));
        let answers = [voted[first + 1], voted[first + 2], matched[first + 2]].map(|yes| yes != 0);
        let mut words = Vec::new();
        for (x, (yes, head)) in columns[1..].iter().zip(answers.iter().zip(heads)) {
            let word = if *yes { "yes" } else { "no" };
            sheet.middle(*x, row, if *yes { Tone::Strong } else { Tone::Text }, word);
            words.push(format!("{head} {word}"));
        }
        described.push(format!("warp {warp}: {}", words.join(", ")));
    }
    let lanes: Vec<String> = masks.iter().map(|mask| mask.count_ones().to_string()).collect();
    Ok(format!(
        "The first of three warps on the emulator, a column for each lane: its x, the mask that ballot of x > 0 returns to \
         every lane, {:#010x}, and the masks that match returns to the lanes of each x, with {} lanes. Below, the answers \
         in the three warps. {}.",
        voted[0],
        lanes.join(", "),
        described.join("; ")
    ))
}

fn shuffle_idx(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    shuffle(sources, sheet, &SHUFFLE_IDX, &by_width(5))
}

fn shuffle_up(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    shuffle(sources, sheet, &SHUFFLE_UP, &by_width(2))
}

fn shuffle_down(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    shuffle(sources, sheet, &SHUFFLE_DOWN, &by_width(2))
}

fn shuffle_xor(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    shuffle(
        sources,
        sheet,
        &SHUFFLE_XOR,
        &[16, 8, 4, 2, 1].map(|mask| Setting { argument: mask, width: LANES }),
    )
}

/// The arguments of a shuffle: its argument and its width.
struct Setting {
    argument: i32,
    width: u32,
}

/// The same argument with every width.
fn by_width(argument: i32) -> [Setting; 5] {
    [2, 4, 8, 16, LANES].map(|width| Setting { argument, width })
}

/// One warp with some settings. Lanes bring their own numbers, so the number that a lane gets is the lane that it
/// reads.
fn shuffle(
    sources: &mut Sources,
    sheet: &mut Sheet,
    kernel: &'static Kernel,
    settings: &[Setting],
) -> Result<String> {
    let lanes: Vec<i32> = (0..32).collect();
    let (x, y) = (sources.upload("x", &lanes)?, sources.zeroed::<i32>("y", 32)?);
    STRIP.numbers(sheet, 12.0);
    let mut top = 19.0;
    let mut described = Vec::new();
    let is_one_width = settings.iter().all(|setting| setting.width == LANES);
    for &Setting { argument, width } in settings {
        let launch = Launch::new(kernel, 1, LANES).arg(x).arg(y).arg(argument).arg(width as i32);
        let (_, got) = sources.trial(&launch, y)?;
        let source = |lane: u32| got[lane as usize] as u32;
        // The farther a value moves, the more space its line has.
        let bottom = top + 34.0 + if is_one_width { 2.0 * f64::from(argument) } else { 0.0 };
        let label = if is_one_width { format!("mask {argument}") } else { format!("width {width}") };
        labelled(sheet, f64::midpoint(top, bottom), &label);
        STRIP.mask(sheet, top, u32::MAX, Fill::On);
        for lane in 0..LANES {
            let (from, to) = (STRIP.centre(source(lane)), STRIP.centre(lane));
            let stroke = if source(lane) == lane { Stroke::Grid } else { Stroke::Arrow };
            sheet.line(&[(from, top + STRIP.width() + 1.0), (to, bottom - 1.0)], stroke);
        }
        STRIP.cells(sheet, bottom, |lane| Some(if source(lane) == lane { Fill::Off } else { Fill::On }));
        for first in (width..LANES).step_by(width as usize) {
            let x = STRIP.lane(first) - 0.5;
            sheet.line(&[(x, top - 2.0), (x, bottom + STRIP.width() + 2.0)], Stroke::Line);
        }
        let own = (0..LANES).filter(|&lane| source(lane) == lane).count();
        described.push(format!("{label}: {own}"));
        top = bottom + STRIP.width() + 15.0;
    }
    let (which, of, upright) = if is_one_width {
        ("at full width".to_owned(), "masks", "")
    } else {
        let argument = settings.first().map_or(0, |setting| setting.argument);
        (format!("with argument {argument}"), "widths", "Upright lines separate the segments. ")
    };
    Ok(format!(
        "One warp of {kernel} {which} on the emulator, for each of five {of} two strips: above, the lanes that give, and below, \
         the lanes that get; a line goes from the lane that is read to the lane that reads. {upright}Lanes that get their own \
         value back are small. Of {LANES} these are, for {}.",
        described.join(", ")
    ))
}

/// How often each element is contained in each lane's result: a row for each element.
fn weights(sources: &mut Sources, kernel: &'static Kernel) -> Result<Vec<Vec<i32>>> {
    let (x, y) = (sources.zeroed::<i32>("x", 32)?, sources.zeroed::<i32>("y", 32)?);
    let launch = Launch::new(kernel, 1, LANES).arg(x).arg(y);
    let one = |element| {
        let mut values = vec![0; 32];
        values[element] = 1;
        sources.write(x, &values)?;
        Ok(sources.trial(&launch, y)?.1)
    };
    (0..32).map(one).collect()
}

fn down_against_xor(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const TOP: f64 = 44.0;
    const PITCH: f64 = 5.2;
    let mut described = Vec::new();
    for (left, kernel) in [(48.0, &LANES_DOWN), (228.0, &LANES_XOR)] {
        let weights = weights(sources, kernel)?;
        let strip = Strip::squares(left, PITCH);
        sheet.sized(left, 12.0, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        sheet.right(strip.end(), 12.0, Tone::Dim, "element");
        for element in [0, 8, 16, 24, 31] {
            sheet.sized(
                strip.centre(element),
                TOP - 5.0,
                Anchor::Middle,
                Tone::Dim,
                12.0,
                &element.to_string(),
            );
        }
        let place = |lane: usize, element: usize| (strip.lane(element as u32), TOP + PITCH * lane as f64);
        let cells = |is_so: &dyn Fn(i32) -> bool| -> Vec<(usize, usize)> {
            let all = (0..32).flat_map(|lane| (0..32).map(move |element| (lane, element)));
            all.filter(|&(lane, element)| is_so(weights[element][lane])).collect()
        };
        let once = cells(&|weight| weight == 1);
        let often = cells(&|weight| weight > 1);
        let at = |cells: Vec<(usize, usize)>| cells.into_iter().map(|(lane, element)| place(lane, element));
        sheet.boxes((strip.width(), strip.width()), Fill::On, at(once));
        for (x, y) in at(often) {
            sheet.mark((x + strip.width() / 2.0, y + strip.width() / 2.0), 2.6, Mark::Cross, Fill::Bad);
        }
        sheet.frame([left - 1.5, TOP - 1.5, strip.end() - left + 3.0, 32.0 * PITCH + 2.0], Stroke::Line);
        let have = (0..32).filter(|&lane| weights.iter().all(|lanes| lanes[lane] == 1)).count();
        let base = TOP + 32.0 * PITCH + 19.0;
        sheet.left(left, base, Tone::Text, &format!("{have} of {LANES} have the sum"));
        described.push(format!("{kernel}: {have} of {LANES} lanes have the sum"));
    }
    for lane in [0, 8, 16, 24, 31] {
        let y = TOP + PITCH * (f64::from(lane) + 0.5) + 4.0;
        let label = if lane == 0 { "lane 0".to_owned() } else { lane.to_string() };
        sheet.sized(42.0, y, Anchor::End, Tone::Dim, 12.0, &label);
    }
    let marks = [(Mark::Square, Fill::On, "element added once"), (Mark::Cross, Fill::Bad, "more than once")];
    legend(sheet, 48.0, sheet.bottom() + 19.0, &marks);
    Ok(format!(
        "A row for each lane of one warp on the emulator, a column for each element: a square if the lane's result has the \
         element in it once, a cross if more than once. {}.",
        described.join("; ")
    ))
}

fn lane_ids(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const SIDE: usize = 8;
    const PITCH: f64 = 22.5;
    let mut described = Vec::new();
    for (left, kernel) in [(4.0, &LANE_MODULO), (214.0, &LANE_OF_RANK)] {
        let y = sources.zeroed::<i32>("y", SIDE * SIDE)?;
        let (_, got) = sources.trial(&Launch::new(kernel, 1, (8, 8)).arg(y).arg(32_i32), y)?;
        sheet.sized(left, 12.0, Anchor::Start, Tone::Mono, 12.5, kernel.name);
        let mut wrong = 0;
        for (thread, &number) in got.iter().enumerate() {
            let is_right = number as usize == thread % 32;
            wrong += usize::from(!is_right);
            // The second warp is drawn a little lower.
            let below = if thread < 32 { 0.0 } else { 16.0 };
            let (x, y) =
                (left + PITCH * (thread % SIDE) as f64, 36.0 + PITCH * (thread / SIDE) as f64 + below);
            let tone = if is_right { Tone::Text } else { Tone::Dim };
            sheet.middle(x + 10.0, y + 12.0, tone, &number.to_string());
            let fill = if is_right { Fill::Good } else { Fill::Bad };
            if is_right {
                sheet.rect([x + 2.0, y + 15.0, 16.0, 2.2], fill);
            } else {
                sheet.mark((x + 10.0, y + 16.5), 1.8, Mark::Cross, fill);
            }
        }
        for (warp, y) in [(0, 31.0), (1, 31.0 + 4.0 * PITCH + 16.0)] {
            sheet.left(left, y, Tone::Dim, &format!("warp {warp}"));
        }
        let base = 36.0 + SIDE as f64 * PITCH + 16.0 + 18.0;
        let tone = if wrong == 0 { Tone::Text } else { Tone::Strong };
        sheet.left(left, base, tone, &format!("{wrong} of {} wrong", SIDE * SIDE));
        described.push(format!("{kernel}: {wrong} of {} threads get a wrong lane", SIDE * SIDE));
    }
    Ok(format!(
        "A block of 8 by 8 threads on the emulator, each with the lane number that the kernel computes; the upper four rows are \
         warp 0, the lower four warp 1. A bar is under each right number, a cross under each wrong one. {}.",
        described.join("; ")
    ))
}
