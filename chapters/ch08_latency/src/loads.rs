//! How many threads does it take to keep memory busy? The same array, summed by few warps and by many, with one load in
//! flight in each thread and with several.
//!
//! The grid has as many blocks as give each multiprocessor 1, 2, 4 or 8 of them, and every thread adds elements until
//! the array ends; so the grid determines the warps of a multiprocessor. It leaves out the time for adding the sums of
//! the threads, which chapter 4 is about.

use std::cell::LazyCell;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::in_flight::{
    STREAM_1, STREAM_2, STREAM_4, STREAM_8, STREAM_WIDE_1, STREAM_WIDE_4,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{Cell, Column, INSTRUCTIONS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance};

use crate::flight::InFlight;
use crate::multiprocessor::{MULTIPROCESSORS, WARPS};

const BLOCK: u32 = 256;
const BLOCKS: [u32; 4] = [1, 2, 4, 8];

/// A kernel, the prefix of its rows, and the number of elements in each of its loads.
type Stream = (&'static str, &'static Kernel, usize);

const STREAMS: [Stream; 6] = [
    ("loads_1", &STREAM_1, 1),
    ("loads_2", &STREAM_2, 1),
    ("loads_4", &STREAM_4, 1),
    ("loads_8", &STREAM_8, 1),
    ("wide_1", &STREAM_WIDE_1, 4),
    ("wide_4", &STREAM_WIDE_4, 4),
];

/// Elements for each thread of a full multiprocessor, so that the threads with most loads in flight have one iteration.
const ELEMENTS_PER_THREAD: usize = 8;

const ALL_WARPS: Column =
    Column { head: ["warps", ""], cell: Cell::Counted(|counters| grouped(counters.warps)) };
/// For one multiprocessor: the bytes that all resident threads together can have in flight.
const KIB_IN_FLIGHT: Column = Column { head: ["KiB in", "flight"], cell: Cell::Fact("kib_in_flight") };

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, seed) = (lab.size(1 << 14, 8)?, lab.seed());
    let machines = (n / (32 * WARPS as usize * ELEMENTS_PER_THREAD)).clamp(1, MULTIPROCESSORS) as u32;
    let of =
        if machines == 1 { "one multiprocessor".to_owned() } else { format!("{machines} multiprocessors") };
    let title = format!("how many loads keep memory busy? {} elements, warps for {of}", grouped(n as u64));
    lab.section(
        "loads",
        &title,
        &[ALL_WARPS, KIB_IN_FLIGHT, INSTRUCTIONS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS],
    );
    let values = LazyCell::new(|| whole_numbers(n, seed));
    for blocks in BLOCKS {
        for stream in STREAMS {
            let warps = blocks * BLOCK / 32;
            lab.variant(&format!("{}_warps_{warps}", stream.0), |device| {
                let row = streamed(device, stream, &values, blocks * machines, seed)?;
                let in_flight = in_flight(device, stream.1)?;
                Ok(in_flight.facts(row, warps).fact("warps_per_multiprocessor", f64::from(warps)))
            })?;
        }
    }
    lab.notice(in_the_code);
    lab.gpu_notice(clock);
    Ok(())
}

/// So small that the sum of a thread is exact in any order.
fn whole_numbers(n: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..n).map(|_| f32::from((random.next_u32() >> 29) as u8)).collect()
}

fn streamed(
    device: &mut Device,
    (_, kernel, width): Stream,
    values: &[f32],
    grid: u32,
    seed: u64,
) -> Result<Row> {
    let threads = (grid * BLOCK) as usize;
    let (x, sums) = (device.upload("x", values)?, device.zeroed::<f32>("sums", threads)?);
    let launch = Launch::new(kernel, grid, BLOCK).seed(seed).arg(x).arg(sums).arg(values.len() as i32);
    let run = device.launch(&launch)?;
    let rate = run.timing.as_ref().map(|timing| size_of_val(values) as f64 / (1e3 * timing.median_us));
    let row = device.check(run, sums, &sums_of_threads(values, threads, width), &Tolerance::Exact)?;
    Ok(match rate {
        Some(rate) => row.gpu_fact("gb_s", rate),
        None => row,
    })
}

/// The sum of each thread: elements that are a grid apart, `width` neighbours at a time, and one at a time at the end.
fn sums_of_threads(values: &[f32], threads: usize, width: usize) -> Vec<f64> {
    let mut sums = vec![0.0; threads];
    let (whole, rest) = values.split_at(values.len() / width * width);
    for round in whole.chunks(threads * width) {
        for (sum, group) in sums.iter_mut().zip(round.chunks(width)) {
            *sum += group.iter().copied().map(f64::from).sum::<f64>();
        }
    }
    for (sum, value) in sums.iter_mut().zip(rest) {
        *sum += f64::from(*value);
    }
    sums
}

/// The loads that a thread of the kernel has in flight, found in a launch of one warp with enough elements for one
/// iteration.
fn in_flight(device: &mut Device, kernel: &'static Kernel) -> Result<InFlight> {
    let n = 32 * 32;
    let (x, sums) = (device.zeroed::<f32>("x", n)?, device.zeroed::<f32>("sums", 32)?);
    InFlight::of(device, &Launch::new(kernel, 1, 32).arg(x).arg(sums).arg(n as i32))
}

fn in_the_code(section: &Section) -> Option<String> {
    let kib = |name: &str| section.row(name)?.fact_value("kib_in_flight");
    Some(format!(
        "By their code, 64 warps with one load in flight in each thread wait for {} KiB at a time on a multiprocessor. \
         So do 8 warps with eight loads, and 16 warps with one load of 16 bytes. 64 warps with four such loads wait for \
         {} KiB.",
        kib("loads_1_warps_64")?,
        kib("wide_4_warps_64")?,
    ))
}

fn clock(section: &Section) -> Option<String> {
    let rate = |name: &str| section.row(name)?.fact_value("gb_s");
    Some(format!(
        "On the GPU, 64 warps on each multiprocessor read {:.0} GB/s with one load in flight in each thread, 8 warps \
         with eight loads {:.0} GB/s, and 16 warps with four loads of 16 bytes {:.0} GB/s.",
        rate("loads_1_warps_64")?,
        rate("loads_8_warps_8")?,
        rate("wide_4_warps_16")?,
    ))
}
