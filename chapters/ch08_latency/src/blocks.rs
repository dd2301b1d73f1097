//! What limits the number of resident warps? A copy in blocks of several sizes, and with shared memory that it does not
//! use, so that fewer blocks fit.
//!
//! How many blocks are resident is calculated (`multiprocessor`); a GPU shows the effect. It leaves out registers,
//! which are not limited in PTX: the next section is about those.

use std::cell::LazyCell;
use std::fmt::Write as _;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::in_flight::{COPY_FOUR, COPY_ONE};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{INSTRUCTIONS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS, STORE_SECTORS};
use thirty_two_lanes::report::layout::{bytes, counted, grouped};
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance};

use crate::flight::InFlight;
use crate::multiprocessor::{WARPS, resident_blocks, warps_by_registers};

const SIZES: [u32; 5] = [32, 64, 256, 768, 1024];
const BLOCK: u32 = 256;
/// The number of blocks, and the shared memory for each with which exactly that many fit.
const RESIDENT: [(u32, u32); 4] = [(8, 0), (4, 56 << 10), (2, 113 << 10), (1, 200 << 10)];
/// Numbers of registers per thread in the picture.
const REGISTERS: [u32; 7] = [32, 40, 64, 96, 128, 168, 255];

/// A kernel, the threads of a block, and the shared memory that it asks for.
#[derive(Clone, Copy)]
struct Copying {
    kernel: &'static Kernel,
    elements_per_thread: usize,
    block: u32,
    shared_bytes: u32,
}

const ONE: Copying = Copying { kernel: &COPY_ONE, elements_per_thread: 1, block: BLOCK, shared_bytes: 0 };
const FOUR: Copying = Copying { kernel: &COPY_FOUR, elements_per_thread: 4, ..ONE };

pub fn by_size(lab: &mut Lab) -> Result<()> {
    let (n, seed) = (lab.size(1 << 14, 8)?, lab.seed());
    let title = format!("how many warps fit? A copy of {} elements, one for each thread", grouped(n as u64));
    lab.section("blocks", &title, &[INSTRUCTIONS_PER_WARP, LOAD_SECTORS, STORE_SECTORS]);
    let values = LazyCell::new(|| Random::new(seed).floats(n, 0.0, 1.0));
    for block in SIZES {
        lab.variant(&format!("block_{block}"), |device| {
            copied(device, Copying { block, ..ONE }, &values, seed)
        })?;
    }
    lab.picture("registers_and_warps", |_| Ok(registers_and_warps()))?;
    lab.notice(arithmetic);
    Ok(())
}

pub fn by_shared_memory(lab: &mut Lab) -> Result<()> {
    let (n, seed) = (lab.size(1 << 14, 8)?, lab.seed());
    let title = format!(
        "does a copy need all warps? {} elements, blocks of {BLOCK}, and shared memory that keeps others out",
        grouped(n as u64)
    );
    lab.section("resident", &title, &[INSTRUCTIONS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS]);
    let values = LazyCell::new(|| Random::new(seed).floats(n, 0.0, 1.0));
    for (name, copying) in [("one", ONE), ("four", FOUR)] {
        for (blocks, shared_bytes) in RESIDENT {
            lab.variant(&format!("{name}_resident_{blocks}"), |device| {
                copied(device, Copying { shared_bytes, ..copying }, &values, seed)
            })?;
        }
    }
    lab.notice(same_counts);
    lab.gpu_notice(clock);
    Ok(())
}

fn copied(device: &mut Device, copying: Copying, values: &[f32], seed: u64) -> Result<Row> {
    let Copying { kernel, elements_per_thread, block, shared_bytes } = copying;
    let (x, y) = (device.upload("x", values)?, device.zeroed::<f32>("y", values.len())?);
    let launch = Launch::cover(kernel, values.len().div_ceil(elements_per_thread), block).seed(seed);
    let launch = launch.shared_bytes(shared_bytes).arg(x).arg(y).arg(values.len() as i32);
    let run = device.launch(&launch)?;
    // The bytes that are read and those that are written.
    let rate = run.timing.as_ref().map(|timing| 2.0 * size_of_val(values) as f64 / (1e3 * timing.median_us));
    let expected: Vec<f64> = values.iter().copied().map(f64::from).collect();
    let row = device.check(run, y, &expected, &Tolerance::Exact)?;
    let blocks = resident_blocks(block, shared_bytes);
    let warps = blocks * block.div_ceil(32);
    let row = in_flight(device, copying)?.facts(row, warps);
    let row = row.fact("resident_blocks", f64::from(blocks)).fact("resident_warps", f64::from(warps));
    let row = row.fact("occupancy", f64::from(warps) / f64::from(WARPS));
    let row = row.fact("shared_kib", f64::from(shared_bytes >> 10)).remark(format!(
        "{} of {}: {warps} of {WARPS} warps",
        counted(blocks.into(), "block"),
        if shared_bytes == 0 {
            format!("{block}")
        } else {
            format!("{block} with {}", bytes(shared_bytes.into()))
        },
    ));
    Ok(match rate {
        Some(rate) => row.gpu_fact("gb_s", rate),
        None => row,
    })
}

/// The loads that a thread of the kernel has in flight, found in a launch of one warp.
fn in_flight(device: &mut Device, copying: Copying) -> Result<InFlight> {
    let n = 32 * copying.elements_per_thread;
    let (x, y) = (device.zeroed::<f32>("x", n)?, device.zeroed::<f32>("y", n)?);
    InFlight::of(device, &Launch::new(copying.kernel, 1, 32).arg(x).arg(y).arg(n as i32))
}

/// The calculation in lines of text.
fn registers_and_warps() -> String {
    let mut out = String::from("registers per thread   warps that have room   occupancy\n");
    for registers in REGISTERS {
        let warps = warps_by_registers(registers);
        let percent = 100.0 * f64::from(warps) / f64::from(WARPS);
        let _ = writeln!(out, "{registers:20}   {warps:20}   {percent:7.1} %");
    }
    out
}

fn arithmetic(section: &Section) -> Option<String> {
    let warps = |size: &u32| section.row(&format!("block_{size}"))?.fact_value("resident_warps");
    let warps = SIZES.iter().map(warps).collect::<Option<Vec<f64>>>()?;
    let list = |numbers: &[String]| numbers.join(", ");
    let numbers: Vec<String> = warps.iter().map(f64::to_string).collect();
    let sizes: Vec<String> = SIZES.iter().map(u32::to_string).collect();
    Some(format!(
        "A multiprocessor of an H200 holds {WARPS} warps and 32 blocks at most. Blocks of {} threads fill it with {} \
         warps: small ones run out of blocks, and of large ones the last one does not fit.",
        list(&sizes),
        list(&numbers)
    ))
}

fn same_counts(section: &Section) -> Option<String> {
    let sectors = |name: &str| section.row(name).map(|row| row.run.counters.global_load_sectors);
    let (eight, one) = (sectors("one_resident_8")?, sectors("one_resident_1")?);
    Some(format!(
        "Shared memory that is asked for and not used changes no count: {} sectors with eight blocks on a \
         multiprocessor, {} with one.",
        grouped(eight),
        grouped(one)
    ))
}

fn clock(section: &Section) -> Option<String> {
    let rates = |name: &str| {
        let rate = |(blocks, _): &(u32, u32)| {
            Some(format!("{:.0}", section.row(&format!("{name}_resident_{blocks}"))?.fact_value("gb_s")?))
        };
        Some(RESIDENT.iter().map(rate).collect::<Option<Vec<_>>>()?.join(", "))
    };
    Some(format!(
        "On the GPU, with 8, 4, 2 and 1 blocks on a multiprocessor, the copy of one element in each thread moves {} \
         GB/s, and that of four {} GB/s, counting what is read and what is written.",
        rates("one")?,
        rates("four")?,
    ))
}
