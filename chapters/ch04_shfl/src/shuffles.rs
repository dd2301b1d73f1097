//! The four shuffles: which lane does a lane read, in segments of every width?
//!
//! The results of two warps are compared with a formula, and those of one warp are drawn. Another section
//! shows what a shuffle does not do: it does not order memory. It leaves out xor with a mask of the width or
//! more, which reaches into earlier segments.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::races::{SHUFFLE_AND_BARRIER, SHUFFLE_NO_ORDER};
use thirty_two_lanes::kernels::shuffles::{
    SHUFFLE_DOWN, SHUFFLE_IDX, SHUFFLE_ROTATE, SHUFFLE_UP, SHUFFLE_XOR,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP, SHARED_REQUESTS};
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Run, Tolerance, Verdict};

use crate::picture::{LANES, letter, line};

/// A shuffle: its kernel, and the place from which the lane at place `own` of a segment reads, if the segment
/// has it.
#[derive(Clone, Copy)]
pub struct Shuffle {
    pub kernel: &'static Kernel,
    place: fn(own: usize, argument: usize, width: usize) -> Option<usize>,
}

pub const IDX: Shuffle = Shuffle { kernel: &SHUFFLE_IDX, place: |_, source, width| Some(source % width) };
pub const UP: Shuffle = Shuffle { kernel: &SHUFFLE_UP, place: |own, offset, _| own.checked_sub(offset) };
pub const DOWN: Shuffle =
    Shuffle { kernel: &SHUFFLE_DOWN, place: |own, offset, width| inside(own + offset, width) };
pub const XOR: Shuffle =
    Shuffle { kernel: &SHUFFLE_XOR, place: |own, lane_mask, width| inside(own ^ lane_mask, width) };
pub const ROTATE: Shuffle =
    Shuffle { kernel: &SHUFFLE_ROTATE, place: |own, offset, width| Some((own + offset) % width) };

fn inside(place: usize, width: usize) -> Option<usize> {
    (place < width).then_some(place)
}

impl Shuffle {
    /// The lane that a lane reads: itself, if the place is outside the segment or the warp.
    pub fn source(&self, lane: usize, argument: usize, width: usize) -> usize {
        let first = lane / width * width;
        let source = (self.place)(lane - first, argument, width).map(|place| first + place);
        source.filter(|&source| source < LANES).unwrap_or(lane)
    }
}

/// The shuffles by name, each with the argument that it is shown with.
const FOUR: [(&str, Shuffle, usize); 4] =
    [("shuffle_idx", IDX, 5), ("shuffle_up", UP, 2), ("shuffle_down", DOWN, 2), ("shuffle_xor", XOR, 1)];

const WIDTHS: [usize; 5] = [2, 4, 8, 16, 32];

const LEGEND: &str = "In the pictures, the first row shows the letter that each lane offers. The rows below \
                      show the letter that it gets, or a full stop if it gets its own back. A line ends each \
                      segment.";

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = "which lane does each lane read? Two warps, widths 2, 4, 8, 16 and 32";
    lab.section("shuffles", title, &[INSTRUCTIONS_PER_WARP, SHARED_REQUESTS, BARRIERS_PER_WARP]);
    for (name, shuffle, argument) in FOUR {
        lab.variant(name, |device| every_width(device, shuffle, argument, seed))?;
    }
    for (name, shuffle, argument) in FOUR {
        lab.picture(&format!("{name}_picture"), |device| picture(device, name, shuffle, argument))?;
    }
    lab.notice(|_| Some(LEGEND.to_owned()));
    lab.notice(edges);
    Ok(())
}

fn every_width(device: &mut Device, shuffle: Shuffle, argument: usize, seed: u64) -> Result<Row> {
    let values: Vec<i32> = Random::new(seed).words(2 * LANES).iter().map(|&word| word as i32).collect();
    let mut all = Run::default();
    let mut kept = 0;
    let mut results = Vec::new();
    for width in WIDTHS {
        let (run, y) = shuffled(device, &values, shuffle, argument, width)?;
        all += run;
        kept += (0..LANES).filter(|&lane| shuffle.source(lane, argument, width) == lane).count();
        results.push((y, expected(&values, shuffle, argument, width)));
    }
    let rows = results.iter().map(|(y, expected)| device.check(all.clone(), *y, expected, &Tolerance::Exact));
    let rows = rows.collect::<Result<Vec<Row>>>()?;
    let worst = rows.iter().position(|row| row.verdict != Verdict::Ok).unwrap_or(0);
    Ok(rows[worst].clone().fact("lanes_that_keep_their_own", kept as f64))
}

/// Launches a shuffle of these values, and returns the run and the buffer of the results.
pub fn shuffled(
    device: &mut Device,
    values: &[i32],
    shuffle: Shuffle,
    argument: usize,
    width: usize,
) -> Result<(Run, thirty_two_lanes::Buffer<i32>)> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<i32>("y", values.len())?);
    let launch = Launch::new(shuffle.kernel, 1, values.len() as u32).arg(x).arg(y);
    Ok((device.launch(&launch.arg(argument as i32).arg(width as i32))?, y))
}

/// The results that a shuffle must have, in whole warps.
pub fn expected(values: &[i32], shuffle: Shuffle, argument: usize, width: usize) -> Vec<f64> {
    let of_warp = |warp: &[i32]| -> Vec<f64> {
        (0..LANES).map(|lane| warp[shuffle.source(lane, argument, width)].into()).collect()
    };
    values.chunks(LANES).flat_map(of_warp).collect()
}

/// Every lane offers its letter. A full stop means that it gets its own back, and a line ends each segment.
fn picture(device: &mut Device, name: &str, shuffle: Shuffle, argument: usize) -> Result<String> {
    let lanes: Vec<i32> = (0..LANES as i32).collect();
    let mut out = line(&format!("{} {argument}", &name[8..]), |lane| letter(lane).to_string());
    for width in WIDTHS {
        let (_, y) = shuffled(device, &lanes, shuffle, argument, width)?;
        let got = device.read(y)?.sim;
        out += &line(&format!("width {width:>2}"), |lane| {
            let source = got[lane] as usize;
            let end = if (lane + 1) % width == 0 { "|" } else { "" };
            format!("{}{end}", if source == lane { '.' } else { letter(source) })
        });
    }
    Ok(out)
}

fn edges(section: &Section) -> Option<String> {
    let kept = |name| section.row(name)?.fact_value("lanes_that_keep_their_own");
    let (up, down, xor) = (kept("shuffle_up")?, kept("shuffle_down")?, kept("shuffle_xor")?);
    let lanes = WIDTHS.len() * LANES;
    let shared = section.rows.iter().map(|row| row.run.counters.shared_load_requests).sum::<u64>();
    Some(format!(
        "At the edge of a segment, a lane gets its own value back. Over all widths, this happens to {up} of \
         {lanes} lanes with `up`, to {down} with `down`, and to {xor} with `xor`, which swaps pairs. `idx` \
         takes its source modulo the width. Shuffles do not use memory: there are {shared} loads from shared \
         memory.",
    ))
}

pub fn order(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = "does a shuffle order memory? Store, shuffle, load; one warp";
    lab.section("order", title, &[INSTRUCTIONS_PER_WARP, SHARED_REQUESTS]);
    lab.variant("shuffle_no_order", |device| {
        Ok(partner(device, &SHUFFLE_NO_ORDER, seed)?.expect(Verdict::Fault))
    })?;
    lab.variant("shuffle_and_barrier", |device| partner(device, &SHUFFLE_AND_BARRIER, seed))?;
    lab.notice(|section| {
        let wrong = section.row("shuffle_no_order")?.check.as_ref()?.wrong;
        Some(format!(
            "{wrong} of {LANES} results are wrong here, but the kernel has a race whatever the results are: \
             a shuffle waits for the lanes and not for their stores. `__syncwarp()` waits for both."
        ))
    });
    Ok(())
}

/// Each lane gets its partner's value by shuffle and from shared memory; they must be the same.
fn partner(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let (x, y) = (device.upload("x", &Random::new(seed).words(LANES))?, device.zeroed::<i32>("y", LANES)?);
    let run = device.launch(&Launch::new(kernel, 1, LANES as u32).arg(x).arg(y))?;
    device.check(run, y, &[0.0; LANES], &Tolerance::Exact)
}
